// Tables whose rows are in a file beside the page, all of them, and loaded with the page.

/** Loads the rows of a table and shows them as its filter and its order say. */
async function loadRows(table) {
  const rows = await loadData(table.dataset.lateRows);
  table.tBodies[0].innerHTML = rows.join("");
  stateOf(table).rows = [...table.tBodies[0].rows];
  showRows(table);
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("table[data-late-rows]").forEach(loadRows));

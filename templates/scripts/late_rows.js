// Tables whose rows are in a file beside the page: loaded with the page, or when they are asked for.

/** Loads all rows of a table and shows them as its filter and its order say. */
async function loadRows(table, file = table.dataset.lateRows) {
  const rows = await loadData(file);
  table.tBodies[0].innerHTML = rows.join("");
  stateOf(table).rows = [...table.tBodies[0].rows];
  showRows(table);
}

/** Lets a button load all rows of a table of which the page has a part. */
function connectAllRows(button) {
  const table = document.getElementById(button.getAttribute("aria-controls"));
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    await loadRows(table, button.dataset.allRows);
    button.parentElement.remove();
  });
}

addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table[data-late-rows]")) loadRows(table);
  document.querySelectorAll("button[data-all-rows]").forEach(connectAllRows);
});

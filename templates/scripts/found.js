// The layer that the reader searched for.

/** The row of the layer with a name, by its whole name or the last part of it; undefined if there is none. */
function rowNamed(table, name) {
  const rows = [...table.tBodies[0].rows].map((row) => [row, row.querySelector("th")?.textContent.trim().toLowerCase() ?? ""]);
  const equal = rows.find(([, text]) => text === name);
  const found = equal ?? rows.find(([, text]) => text.split(/[/.:]/).includes(name));
  return found?.[0];
}

/** Goes to the layer that the address has a search for (`?h=conv1`), unless it names another place. */
function followSearch() {
  const table = document.getElementById("layers-table");
  const words = new URLSearchParams(location.search).get("h");
  if (!table || !words || location.hash) return;
  const row = words.toLowerCase().split(/\s+/).map((word) => rowNamed(table, word)).find(Boolean);
  if (row) location.replace(`#${row.id}`);
}

followSearch();
document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search"); // the theme gives it no name

// Sorting and filtering of tables.

/** The value that a cell is sorted by: its data-value, else its text; null where it is empty. */
function sortKey(cell, numeric) {
  const text = (cell.dataset.value ?? cell.textContent).trim();
  if (!numeric) return text.toLowerCase();
  const number = parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

/** Sorts a table's rows by one column; empty cells stay last in either direction. */
function sortBy(table, header, ascending) {
  const column = [...header.parentElement.children].indexOf(header);
  const numeric = header.dataset.type === "number";
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => [sortKey(row.cells[column], numeric), row]);
  const direction = ascending ? 1 : -1;
  keyed.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return direction * (numeric ? a - b : a.localeCompare(b, undefined, { numeric: true }));
  });
  body.append(...keyed.map(([, row]) => row));
  for (const other of header.parentElement.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
}

/** Makes the headers of a table buttons that sort it, unless it has cells that span columns. */
function makeSortable(table) {
  if (table.querySelector("td[colspan]")) return;
  for (const header of table.tHead.rows[0].cells) {
    if (header.tagName !== "TH" || header.querySelector(".mr-hidden")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () =>
      sortBy(table, header, header.getAttribute("aria-sort") !== "ascending"));
  }
}

/** Whether a row passes a filter's fields. */
function passes(row, fields) {
  const text = fields.text?.value.trim().toLowerCase();
  if (text && !(row.dataset.text ?? "").includes(text) && !row.textContent.toLowerCase().includes(text)) return false;
  if (fields.task?.value && row.dataset.task !== fields.task.value) return false;
  const framework = fields.framework?.value;
  if (framework && !row.dataset.framework.split("|").includes(framework)) return false;
  return !fields.changed?.checked || "changed" in row.dataset;
}

/** Connects a filter's form with its table; its values are kept in the page's address. */
function connectFilter(form) {
  const table = document.getElementById(form.dataset.for);
  const fields = form.elements;
  const apply = () => {
    const rows = [...table.tBodies[0].rows];
    let shown = 0;
    for (const row of rows) {
      row.hidden = !passes(row, fields);
      shown += !row.hidden;
    }
    form.querySelector("output").textContent = shown < rows.length ? `${shown} of ${rows.length}` : "";
    if (fields.columns) table.classList.toggle("mr-brief", !fields.columns.checked);
  };
  const remember = () => {
    const values = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, "", (values.size ? `?${values}` : location.pathname) + location.hash);
  };
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = fields[name];
    if (field?.type === "checkbox") field.checked = value === "on";
    else if (field) field.value = value;
  }
  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
}

document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
document.querySelectorAll(".mr-filter[data-for]").forEach(connectFilter);

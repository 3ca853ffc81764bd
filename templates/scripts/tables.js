// Sorting and filtering of tables.

/** All rows of a table, whether they are in the document or not, and how they are shown. */
function stateOf(table) {
  table.state ??= {
    rows: [...table.tBodies[0].rows],
    sort: null,
    fields: null,
    texts: new WeakMap(),
    window: null,
  };
  return table.state;
}

/** The value that a cell is sorted by: its data-value, else its text; null where it is empty. */
function sortKey(cell, numeric) {
  const text = (cell?.dataset.value ?? cell?.textContent ?? "").trim();
  if (!numeric) return text.toLowerCase() || null;
  const number = parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

/** A table's rows in the order of its sorted column; empty cells are last in either direction. */
function sortedRows(table) {
  const { rows, sort } = stateOf(table);
  if (!sort) return rows;
  const column = [...sort.header.parentElement.children].indexOf(sort.header);
  const numeric = sort.header.dataset.type === "number";
  const direction = sort.ascending ? 1 : -1;
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const keyed = rows.map((row) => [sortKey(row.cells[column], numeric), row]);
  keyed.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return direction * (numeric ? a - b : compare(a, b));
  });
  return keyed.map(([, row]) => row);
}

/** Sorts a table by one column, or not at all. */
function sortBy(table, header, ascending) {
  stateOf(table).sort = header && { header, ascending };
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header?.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  showRows(table);
}

/** Makes the headers of a table buttons that sort it, unless it has cells that span columns. */
function makeSortable(table) {
  if (table.querySelector("tbody td[colspan]")) return;
  for (const header of table.tHead.rows[0].cells) {
    if (header.tagName !== "TH" || header.querySelector(".mr-hidden")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      sortBy(table, header, header.getAttribute("aria-sort") !== "ascending");
      table.dispatchEvent(new Event("sorted"));
    });
  }
}

/** A text as it is searched: in lower case, with `3x3` written as `3×3`. */
const searchable = (text) => text.toLowerCase().replace(/(\d)x(?=\d)/g, "$1×");

/** The text of a row that is searched. */
function rowText(row, texts) {
  let text = texts.get(row);
  if (text === undefined) {
    text = searchable(`${row.dataset.text ?? ""} ${row.dataset.module ?? ""} ${row.textContent}`);
    texts.set(row, text);
  }
  return text;
}

/** The values of a row that a select of the filter compares. */
function rowValues(row, name) {
  if (name === "setting") return [...row.querySelector(".mr-settings").children].map((one) => one.title);
  return (row.dataset[name] ?? "").split("|");
}

/** What a filter's form asks for, as a test of rows; null where it asks for nothing. */
function rowTest(form, texts) {
  const words = searchable(form.elements.text?.value ?? "").split(/\s+/).filter(Boolean);
  const selects = [...form.querySelectorAll("select")].filter((select) => select.value);
  const changed = form.elements.changed?.checked;
  if (!words.length && !selects.length && !changed) return null;
  return (row) =>
    selects.every(({ name, value }) => rowValues(row, name).includes(value)) &&
    (!changed || "changed" in row.dataset) &&
    words.every((word) => rowText(row, texts).includes(word));
}

/** Shows the rows that pass the filter, in order. */
function showRows(table) {
  const state = stateOf(table);
  const test = state.form ? rowTest(state.form, state.texts) : null;
  let passed = 0;
  for (const row of state.rows) {
    const hidden = test !== null && !test(row);
    if (row.hidden !== hidden) row.hidden = hidden;
    passed += !hidden;
  }
  const ordered = sortedRows(table);
  const output = state.form?.querySelector("output");
  if (state.arrange) {
    state.arrange(ordered, test !== null);
  } else {
    table.tBodies[0].append(...ordered);
    if (output) output.textContent = passed < ordered.length ? `${passed} of ${ordered.length}` : "";
  }
}

/** Keeps a form's values, and the column that its table is sorted by, in the page's address. */
function rememberFilter(form, table) {
  const values = new URLSearchParams(location.search);
  for (const field of form.elements) if (field.name) values.delete(field.name);
  for (const [name, value] of new FormData(form)) if (value) values.append(name, value);
  const { sort } = stateOf(table);
  values.delete("sort");
  if (sort?.header.dataset.key) values.set("sort", (sort.ascending ? "" : "-") + sort.header.dataset.key);
  showAddress((values.size ? `?${values}` : location.pathname) + location.hash);
}

/** Sets a form's values, and the column that its table is sorted by, from the page's address. */
function recallFilter(form, table) {
  const values = new URLSearchParams(location.search);
  for (const [name, value] of values) {
    const field = form.elements[name];
    if (field?.type === "checkbox") field.checked = value === "on";
    else if (field) field.value = value;
  }
  const [, descending, key] = values.get("sort")?.match(/^(-?)(.*)$/) ?? [];
  const header = key && table.tHead.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (header) sortBy(table, header, !descending);
}

/** Connects a filter's form with its table. */
function connectFilter(form) {
  const table = document.getElementById(form.dataset.for);
  const state = stateOf(table);
  state.form = form;
  const apply = async () => {
    await state.prepare?.();
    if (!state.prepare) table.classList.toggle("mr-brief", form.elements.columns?.checked === false);
    showRows(table);
  };
  form.addEventListener("input", async () => { await apply(); rememberFilter(form, table); });
  form.addEventListener("submit", (event) => event.preventDefault());
  table.addEventListener("sorted", () => rememberFilter(form, table));
  form.hidden = false;
  recallFilter(form, table);
  return apply();
}

addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
  document.querySelectorAll("table[data-rows]").forEach(connectLayers);
  document.querySelectorAll(".mr-filter[data-for]").forEach(connectFilter);
});

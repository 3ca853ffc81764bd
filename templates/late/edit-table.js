// The table of the editor: layers and blocks in order, what changed of each, and which is selected.

/** The cell of a value of a layer, with the one that the port has. */
const editCell = (row, key, attributes = {}) => {
  const isChanged = row.was && row.was[key] !== row.shown[key];
  const { class: style = "", ...more } = attributes;
  const classes = [style, isChanged ? "mr-edit-changed" : ""].filter(Boolean).join(" ");
  return made("td", { ...more, ...(classes && { class: classes }) }, ...changeOf(row.was?.[key], row.shown[key] ?? ""));
};

/** The row of a layer. */
function editLayerRow(row) {
  const { shown, state } = row;
  const name = state === "gone" ? made("span", {}, shown.name) : made("button", { type: "button" }, shown.name);
  const mark = { new: "new", gone: "removed", changed: "changed" }[state];
  const head = made("th", { scope: "row" }, name, ...(row.id !== shown.name ? [" ", made("small", {}, row.id)] : []), ...(mark ? [" ", made("span", { class: `mr-badge mr-edit-mark-${state}` }, mark)] : []));
  const operator = made("td", {}, ...(row.was && row.was.operator !== shown.operator ? [made("del", {}, row.was.operator), " "] : []), made("span", { class: `mr-op mr-op-${shown.family}` }, shown.operator));
  return made("tr", { class: `mr-edit-${state}`, "data-id": row.id, style: `--mr-depth: ${row.depth ?? 0}` },
    head, operator, editCell(row, "settings"), editCell(row, "output", { class: "mr-shape" }),
    editCell(row, "parameters", { class: "mr-number" }), editCell(row, "macs", { class: "mr-number" }));
}

/** The row of a group. */
function editGroupRow(row) {
  const count = row.count ? made("span", { class: "mr-badge" }, `× ${row.count}`) : "";
  return made("tr", { class: "mr-edit-group", "data-id": row.id, style: `--mr-depth: ${row.depth ?? 0}` },
    made("th", { scope: "row" }, made("button", { type: "button" }, row.title), " ", count),
    made("td", { colspan: 5 }, `${row.kind === "repeat" ? "repeat" : row.kind}, ${row.layers} layers`));
}

/** Shows all rows, of which those that the filter finds are there. */
function showTable() {
  const { editor, network } = editing;
  const body = editor.querySelector(".mr-edit-table tbody");
  body.replaceChildren(...network.rows.map((row) => (row.row === "group" ? editGroupRow(row) : editLayerRow(row))));
  filterEditTable();
  markSelected();
}

/** Hides the rows that do not have all words of the filter; groups stay where there is none. */
function filterEditTable() {
  const { editor } = editing;
  const words = editor.querySelector(".mr-edit-find input").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of editor.querySelectorAll(".mr-edit-table tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.hidden = words.some((word) => !text.includes(word));
  }
}

/** Marks the row that is selected. */
function markSelected() {
  for (const row of editing.editor.querySelectorAll(".mr-edit-table tbody tr")) {
    const isSelected = row.dataset.id === editing.selected;
    row.classList.toggle("mr-selected", isSelected);
    row.querySelector("th button")?.setAttribute("aria-pressed", isSelected);
  }
}

/** Selects the row of an id, whose form is shown; none for an empty one. */
function selectEdited(id) {
  editing.selected = id;
  markSelected();
  showForm();
  editing.editor.querySelector(".mr-edit-table tr.mr-selected")?.scrollIntoView({ block: "nearest" });
}

/** Connects the table. */
function connectTable() {
  const { editor } = editing;
  editor.querySelector(".mr-edit-find input").addEventListener("input", filterEditTable);
  editor.querySelector(".mr-edit-table tbody").addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && !row.classList.contains("mr-edit-gone")) selectEdited(row.dataset.id);
  });
}

// The table of a port's layers: rows and columns from the file beside the page, groups, copies.

/** The table of layers of this page, if it has one. */
const layersTable = () => document.querySelector("table[data-rows]");

/** Rows of a table from their HTML. */
function parseRows(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return [...template.content.children];
}

/** Prepares the table: its filter loads what it needs. */
function connectLayers(table) {
  const state = stateOf(table);
  state.arrange = (ordered, filtered) => arrangeLayers(table, ordered, filtered);
  state.prepare = () => prepareLayers(table);
  table.addEventListener("click", (event) => {
    const group = event.target.closest("tr.mr-group button") && event.target.closest("tr");
    if (group) toggleGroup(table, group);
  });
  table.addEventListener("toggle", (event) => event.target.closest("tr") && state.heights?.delete(event.target.closest("tr")), true);
  document.querySelector(`.mr-filter[data-for="${table.id}"]`).addEventListener("click", (event) =>
    copyOrDownload(table, event.target.dataset.copy));
  table.closest(".mr-tall").addEventListener("scroll", () => loadLayers(table), { once: true, passive: true });
  table.tHead.addEventListener("click", () => loadLayers(table).then(() => showRows(table)), { capture: true });
}

/** The data of the table's layers; rows that the page lacks are added once. */
async function loadLayers(table) {
  const state = stateOf(table);
  const data = await loadData(table.dataset.rows);
  if (!state.data) {
    state.data = data;
    const more = parseRows(data.rows.map(([row]) => row).join(""));
    state.rows = [...state.rows, ...more];
    state.byId = new Map(state.rows.map((row) => [row.id, row]));
    state.natural = state.rows;
    state.groups = data.groups.map((member) => groupNode(member, state.natural));
    if (more.length) showRows(table);
  }
  return data;
}

/** Loads what the filter's form asks for. */
async function prepareLayers(table) {
  const state = stateOf(table), fields = state.form.elements;
  const isAsked = (name) => Boolean(fields[name]?.checked);
  const wide = ["columns", "shares", "times"].some(isAsked), asked = wide || isAsked("grouped");
  const incomplete = state.rows.length < Number(table.dataset.total);
  if (asked || (incomplete && (state.sort || rowTest(state.form, state.texts)))) await loadLayers(table);
  if (wide) await addColumns(table);
  if (isAsked("grouped") && state.sort) sortBy(table, null);
  const { classList } = table, before = classList.value;
  classList.toggle("mr-brief", !isAsked("columns"));
  for (const name of ["shares", "times"]) classList.toggle(`mr-${name}`, isAsked(name));
  if (classList.value !== before) {
    state.heights = new WeakMap();
    state.usual = undefined;
    freeColumns(table);
  }
}

/** Adds the further cells to all rows, once. */
async function addColumns(table) {
  const state = stateOf(table), columns = await loadData(table.dataset.columns);
  if (state.wide) return;
  state.wide = true;
  const cells = parseRows(columns.map((html) => `<tr>${html}</tr>`).join(""));
  state.natural.forEach((row, index) => row.append(...cells[index].children));
}

/** A group of the table: its row, its drawing, its layers' rows and the nodes in it. */
function groupNode(member, rows) {
  if (typeof member === "number") return { row: rows[member], rows: [rows[member]] };
  const [html, level, members] = member;
  const [row] = parseRows(html);
  const nodes = members.map((one) => groupNode(one, rows));
  return { row, level, nodes, rows: nodes.flatMap((node) => node.rows), open: false };
}

/** All groups, outer ones first. */
function* allGroups(nodes) {
  for (const node of nodes) {
    if (!node.nodes) continue;
    yield node;
    yield* allGroups(node.nodes);
  }
}

/** The group whose drawing is a level, if the table knows it. */
const groupOfLevel = (state, level) => [...allGroups(state.groups ?? [])].find((node) => node.level === level);

function toggleGroup(table, row) {
  const node = [...allGroups(stateOf(table).groups)].find((one) => one.row === row);
  node.open = !node.open;
  if (stateOf(table).sort) sortBy(table, null);
  else showRows(table);
}

/** Shows the layers that pass the filter, in order or in their groups; totals of what is shown. */
function arrangeLayers(table, ordered, filtered) {
  const state = stateOf(table);
  const only = state.only && new Set(state.only.rows);
  const isShown = (row) => (!row.hidden && (!only || only.has(row))) || row === state.selected;
  const shown = ordered.filter(isShown);
  const grouped = state.form?.elements.grouped.checked && state.groups && !state.sort;
  const total = Number(table.dataset.total);
  state.form.querySelector("output").textContent =
    filtered || only ? `${shown.length.toLocaleString("en")} of ${total.toLocaleString("en")} layers` : "";
  if (table.classList.contains("mr-shares")) writeShares(table, shown);
  writeShownTotals(table, filtered || only ? shown : null);
  if (state.selected) state.selected.hidden = false;
  if (!grouped && state.indented) for (const row of state.rows) row.style.removeProperty("--mr-depth");
  state.indented = grouped;
  paintRows(table, grouped ? groupedRows(state.groups, new Set(shown), filtered || Boolean(only)) : shown);
}

/** Rows of groups and layers as a tree, of which closed groups show their own row alone. */
function groupedRows(nodes, shown, opened, depth = 0) {
  return nodes.flatMap((node) => {
    if (!node.rows.some((row) => shown.has(row))) return [];
    node.row.style.setProperty("--mr-depth", depth);
    if (!node.nodes) return [node.row];
    const open = opened || node.open;
    node.row.querySelector("button").setAttribute("aria-expanded", open);
    return [node.row, ...(open ? groupedRows(node.nodes, shown, opened, depth + 1) : [])];
  });
}

/** The number of the column with a key. */
const columnOf = (table, key) => [...table.tHead.rows[0].cells].findIndex((cell) => cell.dataset.key === key);

/** A figure of a layer's row, of the column with a key. */
function figureOf(table, row, key) {
  const figures = ((stateOf(table).figures ??= {})[key] ??= new WeakMap());
  let figure = figures.get(row);
  if (figure === undefined) {
    figure = sortKey(row.cells[columnOf(table, key)], true) ?? 0;
    figures.set(row, figure);
  }
  return figure;
}

/** The sum of a figure over some rows. */
const sumOf = (table, rows, key) => rows.reduce((sum, row) => sum + figureOf(table, row, key), 0);

/** Writes the share of parameters and MACs that each row and those above it have. */
function writeShares(table, rows) {
  for (const key of ["parameters", "macs"]) {
    const to = columnOf(table, `${key}-share`);
    const total = sumOf(table, stateOf(table).rows, key);
    let sum = 0;
    for (const row of rows) {
      sum += figureOf(table, row, key);
      row.cells[to].textContent = total ? `${((100 * sum) / total).toFixed(1)} %` : "";
      row.cells[to].dataset.value = total ? sum / total : "";
    }
  }
}

/** Writes a row of totals of the rows that are shown, beside those of the network. */
function writeShownTotals(table, rows) {
  table.tFoot.querySelector(".mr-shown")?.remove();
  if (!rows) return;
  const row = table.tFoot.rows[0].cloneNode(true);
  row.className = "mr-shown";
  row.cells[1].textContent = "Shown";
  row.cells[2].textContent = `${rows.length.toLocaleString("en")} layers`;
  for (const head of table.tHead.querySelectorAll("th[data-sum]")) {
    const { key, per = 1, digits = 0, unit = "" } = head.dataset, column = head.cellIndex;
    if (!stateOf(table).rows[0]?.cells[column]) continue;
    const part = sumOf(table, rows, key), whole = sumOf(table, stateOf(table).rows, key);
    const cell = row.cells[column - row.cells[2].colSpan + 1];
    cell.textContent = (part / per).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }) + unit;
    cell.title = whole ? `${((100 * part) / whole).toFixed(1)} % of the network's` : "";
  }
  table.tFoot.prepend(row);
}

// Long tables: only the rows in view, and some before and after them, are in the document.

/** Rows that are all in the document. */
const WHOLE_TABLE = 300;

/** Pixels above and below the view that have rows, too, and that must have: others are painted. */
const MARGIN = 1000, LEAST_MARGIN = 200;

/** Shows rows of a table, in order; of many those in view. */
function paintRows(table, rows) {
  const state = stateOf(table);
  state.painted = rows;
  state.heights ??= new WeakMap();
  if (rows.length <= WHOLE_TABLE) {
    state.window = null;
    table.tBodies[0].replaceChildren(...rows);
    keepOneTabStop(rows, state.selected ?? rows[0]);
    return;
  }
  state.window = { first: -1, last: -1 };
  if (!state.frame) {
    state.frame = table.closest(".mr-tall");
    let waiting = false;
    state.frame.addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; paintWindow(table); });
    }, { passive: true });
  }
  table.style.tableLayout = "";
  paintWindow(table);
}

/** The rows in view of a long table, with a spacer for those before and those after. */
function paintWindow(table) {
  const state = stateOf(table);
  if (!state.window) return;
  const { painted: rows, frame, heights } = state;
  const view = [frame.scrollTop, frame.scrollTop + frame.clientHeight];
  const { first: painted, start, stop } = state.window;
  if (painted >= 0 && view[0] - LEAST_MARGIN >= start && view[1] + LEAST_MARGIN <= stop) return;
  const top = view[0] - MARGIN, bottom = view[1] + MARGIN;
  const usual = state.usual ?? 24;
  let y = 0, first = 0;
  while (first < rows.length - 1 && y + (heights.get(rows[first]) ?? usual) < top) y += heights.get(rows[first++]) ?? usual;
  let end = y, last = first;
  while (last < rows.length && end < bottom) end += heights.get(rows[last++]) ?? usual;
  if (first === state.window.first && last === state.window.last) return;
  state.window = { first, last, start: first ? y : -Infinity, stop: last < rows.length ? end : Infinity };
  let rest = 0;
  for (let index = last; index < rows.length; index++) rest += heights.get(rows[index]) ?? usual;
  table.tBodies[0].replaceChildren(spacer(y), ...rows.slice(first, last), spacer(rest));
  measureRows(state, rows.slice(first, last));
  keepOneTabStop(rows.slice(first, last), rows.slice(first, last).includes(state.selected) ? state.selected : rows[first]);
  if (table.style.tableLayout !== "fixed") fixColumns(table);
}

/** Leaves one row among the stops of the Tab key; arrows lead from it to the others. */
function keepOneTabStop(rows, stop) {
  for (const row of rows) {
    for (const one of row.querySelectorAll("a, summary")) one.tabIndex = -1;
  }
  const link = stop?.querySelector("th a");
  if (link) link.tabIndex = 0;
}

/** Remembers the heights of rows that were painted. */
function measureRows(state, rows) {
  let sum = 0;
  for (const row of rows) {
    const { height } = row.getBoundingClientRect();
    state.heights.set(row, height);
    sum += height;
  }
  state.usual ??= sum / rows.length;
}

/** Keeps the columns as wide as they are, while other rows come into view. */
function fixColumns(table) {
  const cells = [...table.tHead.rows[0].cells].filter((cell) => cell.offsetWidth);
  const widths = cells.map((cell) => cell.offsetWidth);
  cells.forEach((cell, index) => { cell.style.width = `${widths[index]}px`; });
  table.style.tableLayout = "fixed";
}

/** Lets the columns find their widths again. */
function freeColumns(table) {
  table.style.tableLayout = "";
  for (const cell of table.tHead.rows[0].cells) cell.style.width = "";
}

function spacer(height) {
  const row = document.createElement("tr");
  row.className = "mr-spacer";
  row.setAttribute("aria-hidden", "true");
  row.style.height = `${height}px`;
  return row;
}

/** Scrolls the table's own frame, not the page, so that a row is in its middle. */
function scrollToRow(table, row) {
  const state = stateOf(table), frame = table.closest(".mr-tall");
  if (state.window) {
    let y = 0;
    for (const one of state.painted) {
      if (one === row) break;
      y += state.heights.get(one) ?? state.usual;
    }
    if (!row.isConnected) {
      frame.scrollTop = y - frame.clientHeight / 2;
      paintWindow(table);
    }
  }
  if (!row.isConnected) return;
  const inner = row.getBoundingClientRect(), outer = frame.getBoundingClientRect();
  if (inner.top >= outer.top + 40 && inner.bottom <= outer.bottom - 40) return;
  frame.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

addEventListener("beforeprint", () => {
  for (const table of document.querySelectorAll("table[data-rows]")) {
    const state = stateOf(table);
    if (state.window) { freeColumns(table); table.tBodies[0].replaceChildren(...state.painted); }
  }
});
addEventListener("afterprint", () => {
  for (const table of document.querySelectorAll("table[data-rows]")) {
    const state = stateOf(table);
    if (state.window) paintRows(table, state.painted);
  }
});

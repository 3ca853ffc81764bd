// Two networks side by side: folded runs of equal rows, the selected row, keys and steps.

/** The table of a comparison. Its rows are one stop of the Tab key; arrow keys move among them. */
class Alignment {
  constructor(table) {
    this.table = table;
    this.frame = table.closest(".mr-scroll");
    this.current = null;
    this.adopt();
    table.setAttribute("role", "grid");
    table.addEventListener("click", (event) => this.click(event));
    table.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("keydown", (event) => this.pressAnywhere(event));
    for (const button of document.querySelectorAll(".mr-steps [data-step]")) {
      button.addEventListener("click", () => this.step(Number(button.dataset.step), false));
    }
    document.querySelectorAll(".mr-keys").forEach((line) => { line.hidden = false; });
  }

  /** Makes rows that just came into the page foldable and reachable by arrow keys. */
  adopt() {
    this.table.classList.add("mr-folding");
    this.addLinks();
    this.frame.removeAttribute("tabindex"); // its rows scroll it
    for (const row of this.table.querySelectorAll("tbody tr")) row.tabIndex = -1;
    for (const stop of this.table.querySelectorAll("tbody :is(a, button)")) stop.tabIndex = -1;
    for (const head of this.table.querySelectorAll(".mr-run")) head.hidden = false;
    this.keepStop();
  }

  /** Adds to each layer's name the link to its row on its port's page, where it has one. */
  addLinks() {
    const { a, b } = this.table.dataset;
    for (const name of this.table.querySelectorAll(".mr-name a[id]")) {
      const page = name.id.startsWith("a-") ? a : b;
      if (!page) continue;
      const link = Object.assign(document.createElement("a"), { className: "mr-out", textContent: "↗" });
      link.href = `${page}#${name.id.slice(2)}`;
      link.setAttribute("aria-label", `${name.textContent}, its port’s page`);
      name.after(" ", link);
    }
  }

  /** All rows but the lines of folded runs. */
  rows() {
    return [...this.table.querySelectorAll("tbody tr:not(.mr-run)")];
  }

  /** The position of a row among all rows of the comparison. */
  number(row) {
    const body = row.parentElement;
    const before = [...body.rows].filter((one) => !one.matches(".mr-run"));
    return Number(body.dataset.start) + before.indexOf(row);
  }

  /** The row of that position, where the page holds it. */
  rowOf(number) {
    for (const body of this.table.tBodies) {
      const rows = [...body.rows].filter((one) => !one.matches(".mr-run"));
      const row = rows[number - Number(body.dataset.start)];
      if (row) return row;
    }
    return null;
  }

  /** Opens or closes a run; rows that the page does not hold are loaded. */
  async toggle(body, open) {
    if (!body.querySelector("tr:not(.mr-run)")) {
      const { start } = body.dataset, focused = body.contains(document.activeElement);
      if (!await this.hold()) return;
      body = [...this.table.tBodies].find((one) => one.dataset.start === start);
      if (!body?.matches(".mr-folded")) return this.openAt(Number(start));
      if (focused) body.querySelector(".mr-run").focus();
    }
    body.classList.toggle("mr-open", open);
    body.querySelector("button")?.setAttribute("aria-expanded", String(open));
    this.keepStop();
  }

  /** Gives the Tab key a row to stop at that is shown. */
  keepStop() {
    const rows = this.shown();
    if (!rows.length || rows.some((row) => row.tabIndex === 0)) return;
    this.table.querySelectorAll("tbody tr[tabindex='0']").forEach((row) => { row.tabIndex = -1; });
    rows[0].tabIndex = 0;
  }

  /** Opens the run that a position lies in, and selects its row. */
  openAt(number) {
    const row = this.rowOf(number);
    if (row) this.select(row, { focus: true });
  }

  /** Loads the rows of a large comparison that the page does not hold; false if it holds all. */
  async hold() {
    const address = this.table.dataset.all;
    if (!address) return false;
    const bodies = parseRows(await loadData(address));
    if (!this.table.dataset.all) return true; // loaded meanwhile
    for (const body of [...this.table.tBodies]) body.remove();
    this.table.append(...bodies);
    delete this.table.dataset.all;
    this.adopt();
    document.dispatchEvent(new CustomEvent("mr-rows"));
    return true;
  }

  /** Selects a row, opening the run that hides it, and tells the diagrams. */
  select(row, { focus = false, page = false } = {}) {
    const body = row.closest("tbody");
    if (body.matches(".mr-folded") && !row.matches(".mr-run")) this.toggle(body, true);
    row.hidden = false;
    this.current?.removeAttribute("aria-selected");
    this.table.querySelectorAll("tbody tr[tabindex='0']").forEach((one) => { one.tabIndex = -1; });
    this.current = row;
    row.tabIndex = 0;
    if (focus) row.focus({ preventScroll: true });
    if (page) this.frame.scrollIntoView({ block: "nearest" });
    this.show(row);
    if (row.matches(".mr-run")) return;
    row.setAttribute("aria-selected", "true");
    this.remember(row);
    const names = [...row.querySelectorAll("[id]")].map((one) => one.id);
    const detail = { row, names, number: this.number(row) };
    document.dispatchEvent(new CustomEvent("mr-row", { detail }));
  }

  /** Scrolls the table, not the page, so that a row is in view below the header. */
  show(row) {
    const [outer, inner] = [this.frame.getBoundingClientRect(), row.getBoundingClientRect()];
    const top = outer.top + this.table.tHead.getBoundingClientRect().height;
    if (inner.top < top) this.frame.scrollTop += inner.top - top - outer.height / 4;
    else if (inner.bottom > outer.bottom) this.frame.scrollTop += inner.bottom - outer.bottom + outer.height / 4;
    const [low, high] = [row.getBoundingClientRect(), innerHeight];
    if (row === document.activeElement && (low.bottom > high || low.top < 0)) row.scrollIntoView({ block: "nearest" });
  }

  /** Puts the row into the address, a moment after the last step. */
  remember(row) {
    clearTimeout(this.waiting);
    const name = row.querySelector("[id]").id;
    this.waiting = setTimeout(() => showAddress(`#${name}`), 150);
  }

  /** Rows and lines of runs that are shown now. */
  shown() {
    return [...this.table.querySelectorAll("tbody tr")].filter((row) => row.getClientRects().length);
  }

  /** The next or previous row that differs, after the last the first. */
  step(direction, focus = true) {
    const rows = this.rows().filter((row) => "changes" in row.dataset && !row.hidden);
    if (!rows.length) return;
    const flag = direction > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
    const ahead = this.current
      ? rows.filter((row) => this.current.compareDocumentPosition(row) & flag) : rows;
    const next = direction > 0 ? ahead[0] ?? rows[0] : ahead.at(-1) ?? rows.at(-1);
    this.select(next, { focus });
  }

  click(event) {
    const head = event.target.closest(".mr-run");
    const link = event.target.closest("a");
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (head) {
      event.preventDefault();
      this.toggle(head.parentElement, !head.parentElement.matches(".mr-open"));
      return;
    }
    const row = event.target.closest("tbody tr");
    if (!row || (link && !link.id) || String(getSelection())) return;
    if (link) event.preventDefault(); // the name selects its row
    this.select(row, { focus: true });
  }

  /** Keys on a row. */
  press(event) {
    const row = event.target.closest("tbody tr");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = this.shown();
    const place = rows.indexOf(row);
    const goals = {
      ArrowDown: place + 1, j: place + 1, ArrowUp: place - 1, k: place - 1, Home: 0, End: rows.length - 1,
    };
    if (event.key in goals) {
      const next = rows[Math.max(0, Math.min(goals[event.key], rows.length - 1))];
      this.select(next, { focus: true });
    } else if (event.key === "Enter" && event.target === row) {
      if (row.matches(".mr-run")) this.toggle(row.parentElement, !row.parentElement.matches(".mr-open"));
      else this.leave(row, event.shiftKey);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Opens the page of A's or B's port at the row's layer; a report in one file has none. */
  leave(row, other) {
    const side = other ? ".mr-name.mr-b .mr-out" : ".mr-name:not(.mr-b) .mr-out";
    const link = row.querySelector(side) ?? row.querySelector(".mr-out");
    if (link) location.href = link.href;
    else this.select(row, { focus: true });
  }

  /** Keys anywhere on the page, but for where text is typed. */
  pressAnywhere(event) {
    if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n" || event.key === "p") this.step(event.key === "n" ? 1 : -1);
    else if (event.key === "/") document.querySelector(".mr-filter[data-rows] [name=text]").focus();
    else return;
    event.preventDefault();
    event.stopPropagation(); // the site's theme has other uses for these keys
  }

  /** Selects the row that the address names, wherever it is hidden. */
  async follow() {
    const name = decodeURIComponent(location.hash.slice(1));
    if (!/^[ab]-/.test(name)) return;
    let target = document.getElementById(name);
    if (!target && await this.hold()) target = document.getElementById(name);
    const row = target?.closest("#alignment tr");
    if (row) this.select(row, { page: true });
  }
}

/** Connects the table of a comparison with its filter; used by the diagrams, too. */
function connectAlignment() {
  const table = document.getElementById("alignment");
  if (!table) return null;
  const alignment = new Alignment(table);
  const form = document.querySelector(".mr-filter[data-rows]");
  if (form) connectRowFilter(form, alignment);
  addEventListener("hashchange", () => alignment.follow());
  addEventListener("load", () => alignment.follow());
  return alignment;
}

const pageAlignment = connectAlignment();

// Sorting, filtering, levels of the diagram, and links between table and diagram. Pages can be read without it.

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

/** Scrolls a frame, not the page, so that an element inside it is in its middle. */
function centre(frame, element) {
  const [outer, inner] = [frame.getBoundingClientRect(), element.getBoundingClientRect()];
  frame.scrollBy(
    inner.x - outer.x - (outer.width - inner.width) / 2,
    inner.y - outer.y - (outer.height - inner.height) / 2,
  );
}

/** Highlights a layer in the diagram, and scrolls the diagram to it. */
function lightUp(box) {
  document.querySelectorAll(".mr-lit").forEach((lit) => lit.classList.remove("mr-lit"));
  box.classList.add("mr-lit");
  centre(box.closest(".mr-diagram-frame"), box);
}

/** Scrolls to the element that the address names, and to its layer in the diagram. */
function followHash() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  (target.closest("tr") ?? target).hidden = false;
  const frame = target.closest(".mr-tall, .mr-diagram-frame");
  if (!frame) return;
  frame.scrollIntoView({ block: "start" });
  if (frame.matches(".mr-tall")) {
    target.scrollIntoView({ block: "nearest" });
    frame.scrollTop += target.getBoundingClientRect().y - frame.getBoundingClientRect().y - frame.clientHeight / 2;
  }
  const box = document.getElementById(`a_r-${target.id}`) ?? target;
  if (box.closest(".mr-diagram")) lightUp(box);
}

/** The level that a link to its drawing names. */
const levelOf = (address) => decodeURIComponent(address).match(/([^/]+)\.svg$/)?.[1] ?? "";

/** Where a link in a drawing leads from this page: to a level, a row here, or another page. */
function addressHere(target) {
  if (target.pathname.endsWith(".svg")) return `#level=${levelOf(target.pathname)}`;
  const page = (path) => path.replace(/index\.html$/, "");
  return page(target.pathname) === page(location.pathname) ? target.hash : target.href;
}

/** The drawing of a level, with links that lead where they should from this page. */
async function fetchLevel(link) {
  const answer = await fetch(link.href);
  const parsed = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
  const svg = document.importNode(parsed.documentElement, true);
  for (const anchor of svg.querySelectorAll("a[*|href]")) {
    const target = new URL(anchor.getAttribute("xlink:href"), link.href);
    anchor.setAttribute("xlink:href", addressHere(target));
  }
  return svg;
}

/** The way from the overview to a level, as links. */
function showPath(overview, level) {
  const path = overview.querySelector(".mr-path");
  const steps = [];
  let link = overview.querySelector(`[data-level="${CSS.escape(level)}"]`);
  while (link) {
    steps.unshift([link.textContent, link.dataset.level]);
    link = overview.querySelector(`[data-level="${CSS.escape(link.dataset.parent)}"]`);
  }
  path.replaceChildren(...[["Overview", ""], ...steps].flatMap(([title, id], index) => {
    const step = document.createElement("a");
    step.href = `#level=${id}`;
    step.textContent = title;
    if (id === level) step.setAttribute("aria-current", "true");
    return index ? [" › ", step] : [step];
  }));
  path.hidden = level === "";
}

/** Shows the level of the diagram that the address names (`#level=conv-2..add-1`), or the overview. */
async function followLevel() {
  const overview = document.querySelector(".mr-overview");
  const level = location.hash.match(/^#level=(.*)$/);
  if (!level && (location.hash || !overview.first)) return; // a layer's row, or nothing was opened
  const name = level ? decodeURIComponent(level[1]) : "";
  const frame = overview.querySelector(".mr-diagram-frame");
  overview.first ??= frame.firstElementChild;
  const link = overview.querySelector(`[data-level="${CSS.escape(name)}"]`);
  try {
    frame.replaceChildren(link ? await fetchLevel(link) : overview.first);
    showPath(overview, link ? name : "");
    if (level) overview.scrollIntoView({ block: "nearest" });
  } catch {
    location.href = link.href; // a page that was opened as a file may not fetch another
  }
}

/** Opens groups within the overview's frame, in place of following their links. */
function connectOverview(overview) {
  overview.addEventListener("click", (event) => {
    const anchor = event.target.closest("a");
    const address = anchor?.getAttribute("xlink:href") ?? anchor?.getAttribute("href") ?? "";
    if (!address.endsWith(".svg") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    location.hash = `level=${levelOf(address)}`;
  });
  addEventListener("hashchange", followLevel);
  followLevel();
}

document.querySelectorAll(".mr-overview").forEach(connectOverview);
document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
document.querySelectorAll(".mr-filter").forEach(connectFilter);
addEventListener("hashchange", followHash);
addEventListener("load", followHash); // after the browser itself has scrolled

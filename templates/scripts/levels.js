// Levels of the diagram, opened in its frame.

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

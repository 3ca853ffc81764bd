// Levels of the diagram, opened in its frame.

/** The level that a link to its drawing names. */
const levelOf = (address) => decodeURIComponent(address).match(/([^/]+)\.svg$/)?.[1] ?? "";

/** The address that a link in a drawing has. */
const hrefOf = (anchor) => anchor?.getAttribute("xlink:href") ?? anchor?.getAttribute("href") ?? "";

/** Where a link in a drawing leads from this page: to a level, a row here, or another page. */
function addressHere(target) {
  if (target.pathname.endsWith(".svg")) return `#level=${levelOf(target.pathname)}`;
  const page = (path) => path.replace(/index\.html$/, "");
  return page(target.pathname) === page(location.pathname) ? target.hash : target.href;
}

/** The drawing of a level, with links that lead where they should from this page. */
async function fetchLevel(link) {
  const text = await loadData(link.href.replace(/\.svg$/, ".js"));
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = document.importNode(parsed.documentElement, true);
  for (const anchor of svg.querySelectorAll("a[*|href]")) {
    const target = new URL(anchor.getAttribute("xlink:href"), link.href);
    anchor.setAttribute("xlink:href", addressHere(target));
  }
  return svg;
}

/** The link to a level's drawing in the list of groups. */
const linkOfLevel = (overview, level) => overview.querySelector(`[data-level="${CSS.escape(level)}"]`);

/** The way from the overview to a level, as links. */
function showPath(overview, level) {
  const path = overview.querySelector(".mr-path");
  const steps = [];
  for (let link = linkOfLevel(overview, level); link; link = linkOfLevel(overview, link.dataset.parent)) {
    steps.unshift([link.textContent, link.dataset.level]);
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

/** Shows a level of the diagram, or the overview where there is none of that name. */
async function showLevel(overview, level) {
  const frame = overview.querySelector(".mr-diagram-frame");
  overview.first ??= frame.querySelector("svg");
  const link = level ? linkOfLevel(overview, level) : null;
  const name = link ? level : "";
  if ((overview.level ?? "") === name) return;
  overview.level = name;
  const svg = link ? await fetchLevel(link) : overview.first;
  if (overview.level !== name) return; // another was opened meanwhile
  frame.replaceChildren(svg);
  showPath(overview, name);
  frame.dispatchEvent(new Event("redrawn"));
}

/** The box of a layer in the drawing that is shown. */
function boxOf(overview, id) {
  const anchors = [...overview.querySelectorAll(".mr-diagram a[*|href]")];
  return anchors.find((anchor) => hrefOf(anchor) === `#${id}`) ?? null;
}

/** Follows links to levels in a drawing without leaving the page, and folds the diagram away. */
function connectOverview(overview) {
  overview.addEventListener("click", (event) => {
    const address = hrefOf(event.target.closest("a"));
    if (!address.endsWith(".svg") || event.ctrlKey || event.metaKey) return;
    if (!linkOfLevel(overview, levelOf(address))) return;
    event.preventDefault();
    location.hash = `level=${levelOf(address)}`;
  });
  rememberFold(overview, "modeldocs.diagram");
}

/** Keeps whether a part of the page is folded away, for the next page too. */
function rememberFold(details, key) {
  try {
    if (localStorage.getItem(key) === "closed") details.open = false;
    details.addEventListener("toggle", () => localStorage.setItem(key, details.open ? "open" : "closed"));
  } catch {
    // no storage: pages opened as files may have none
  }
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll(".mr-overview").forEach(connectOverview));

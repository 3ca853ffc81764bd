// Every drawing and chart can be saved as it is seen: opened groups, colours, on white or without a ground.

const SAVED_STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "display", "visibility"];
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const MOST_PIXELS = 8192; // of one side of a picture: what browsers can draw

/** Runs something with the colours of the light scheme, in which pictures are saved. */
function inLight(act) {
  const { body } = document, scheme = body.dataset.mdColorScheme;
  if (scheme === "slate") body.dataset.mdColorScheme = "default";
  try { return act(); } finally { if (scheme) body.dataset.mdColorScheme = scheme; }
}

/** A copy of a drawing that needs no style sheet: every element has what it is drawn with. */
function pictureOf(svg, onWhite) {
  const copy = svg.cloneNode(true), { x, y, width, height } = svg.viewBox.baseVal;
  const theirs = [copy, ...copy.querySelectorAll("*")];
  [svg, ...svg.querySelectorAll("*")].forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const name of SAVED_STYLES) {
      const value = style.getPropertyValue(name);
      if (value) theirs[index].setAttribute(name, value.replaceAll('"', "'"));
    }
    for (const name of ["style", "class", "tabindex"]) theirs[index].removeAttribute(name);
  });
  for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
  copy.removeAttribute("display");
  copy.setAttribute("xmlns", SVG_NAMESPACE);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  if (onWhite) {
    const ground = document.createElementNS(SVG_NAMESPACE, "rect");
    for (const [name, value] of Object.entries({ x, y, width, height, fill: "#fff" })) ground.setAttribute(name, value);
    copy.prepend(ground);
  }
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

/** The picture as a PNG of two pixels a unit, or of as many as a browser can draw. */
async function asPng({ text, width, height }) {
  const scale = Math.min(2, MOST_PIXELS / Math.max(width, height));
  const image = new Image(), canvas = document.createElement("canvas");
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  image.src = address;
  await image.decode();
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** A file's name: the page's heading and, of several drawings, which one. */
function pictureName(svg) {
  const title = document.querySelector("h1")?.firstChild?.parentElement.textContent ?? document.title;
  const words = `${title} ${svg.getAttribute("aria-label") ?? ""}`.toLowerCase();
  return words.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60).replace(/^-|-$/g, "");
}

/** Gives the reader a file. */
function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A menu that saves the drawing that a place shows. */
function saveMenu(place) {
  const menu = Object.assign(document.createElement("details"), { className: "mr-save" });
  menu.innerHTML = '<summary title="Save this picture as it is seen">Save</summary><div><button type="button" data-as="svg">SVG</button><button type="button" data-as="png">PNG</button><label><input type="checkbox"> transparent</label></div>';
  const clear = menu.querySelector("input");
  menu.addEventListener("click", async ({ target }) => {
    const as = target.dataset?.as, svg = place.querySelector("svg");
    if (!as || !svg) return;
    const picture = inLight(() => pictureOf(svg, !clear.checked));
    download(as === "png" ? await asPng(picture) : new Blob([picture.text], { type: "image/svg+xml" }), `${pictureName(svg)}.${as}`);
    menu.open = false;
  });
  return menu;
}

addEventListener("DOMContentLoaded", () => { // drawings that can be zoomed have it among their buttons
  for (const place of document.querySelectorAll(".mr-twin > .mr-diagram-frame, .mr-chart:has(> svg)")) place.before(saveMenu(place));
});

// Zoom of a drawing: +, −, its own size, the width of its frame; and a small map of it.

/** The drawing in a frame, and how large it is drawn. */
const drawingIn = (frame) => frame.querySelector("svg.mr-diagram");

/** Draws at a scale, and keeps the point that is in the middle, or under the pointer, in place. */
function zoomTo(frame, scale, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
  const svg = drawingIn(frame);
  const before = svg.getBoundingClientRect(), outer = frame.getBoundingClientRect();
  const fraction = [(outer.x + x - before.x) / before.width, (outer.y + y - before.y) / before.height];
  frame.scale = Math.min(4, Math.max(0.1, scale));
  svg.style.width = `${svg.width.baseVal.value ? svg.viewBox.baseVal.width * frame.scale : 0}px`;
  svg.style.height = "auto";
  frame.classList.toggle("mr-zoomed", frame.scale > 1);
  const after = svg.getBoundingClientRect();
  frame.scrollBy(after.x + fraction[0] * after.width - (outer.x + x), after.y + fraction[1] * after.height - (outer.y + y));
  drawMap(frame);
}

/** The scale at which the whole drawing is in its frame and in the window. */
function fittingScale(frame) {
  const { width, height } = drawingIn(frame).viewBox.baseVal;
  const room = getComputedStyle(frame);
  const space = frame.clientWidth - parseFloat(room.paddingLeft) - parseFloat(room.paddingRight);
  return Math.min(space / width, (innerHeight * 0.85) / height);
}

/** Shows the buttons and the map of a frame. */
function connectZoom(frame) {
  const bar = document.createElement("div");
  bar.className = "mr-zoom";
  const actions = { "−": () => zoomTo(frame, (frame.scale ?? 1) / 1.25), "+": () => zoomTo(frame, (frame.scale ?? 1) * 1.25),
    Fit: () => zoomTo(frame, fittingScale(frame)), "100 %": () => zoomTo(frame, 1) };
  const names = { "−": "Zoom out", "+": "Zoom in", Fit: "Fit the drawing into the frame", "100 %": "The drawing's own size" };
  for (const [text, act] of Object.entries(actions)) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: text, title: names[text] });
    button.setAttribute("aria-label", names[text]);
    button.addEventListener("click", act);
    bar.append(button);
  }
  bar.append(saveMenu(frame));
  frame.before(bar);
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const outer = frame.getBoundingClientRect();
    zoomTo(frame, (frame.scale ?? 1) * Math.exp(-event.deltaY * 0.002), event.clientX - outer.x, event.clientY - outer.y);
  }, { passive: false });
  frame.addEventListener("redrawn", () => { frame.scale = 1; frame.classList.remove("mr-zoomed"); drawMap(frame); });
  frame.addEventListener("scroll", () => placeWindow(frame), { passive: true });
  new ResizeObserver(() => drawMap(frame)).observe(frame);
  connectMap(frame);
}

/** Makes the map, in which a click or a drag moves the view. */
function connectMap(frame) {
  frame.map = Object.assign(document.createElement("div"), { className: "mr-map", hidden: true });
  frame.map.setAttribute("aria-hidden", "true");
  frame.after(frame.map);
  const move = (event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const box = frame.map.firstElementChild.getBoundingClientRect();
    frame.scrollTo(
      ((event.clientX - box.x) / box.width) * frame.scrollWidth - frame.clientWidth / 2,
      ((event.clientY - box.y) / box.height) * frame.scrollHeight - frame.clientHeight / 2,
    );
  };
  frame.map.addEventListener("pointerdown", move);
  frame.map.addEventListener("pointermove", move);
}

/** Draws the map where the drawing is larger than its frame. */
function drawMap(frame) {
  const svg = drawingIn(frame), { map } = frame;
  const larger = svg && (frame.scrollWidth > frame.clientWidth + 2 || frame.scrollHeight > frame.clientHeight + 2);
  map.hidden = !larger;
  if (!larger) return;
  if (map.drawn !== svg) {
    const copy = svg.cloneNode(true);
    copy.setAttribute("aria-hidden", "true");
    copy.querySelectorAll("a").forEach((anchor) => anchor.replaceWith(...anchor.childNodes));
    copy.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id"));
    copy.removeAttribute("style");
    copy.classList.remove("mr-diagram");
    const view = Object.assign(document.createElement("div"), { className: "mr-map-view" });
    map.replaceChildren(copy, view);
    map.drawn = svg;
  }
  placeWindow(frame);
}

/** Shows in the map which part of the drawing is in view. */
function placeWindow(frame) {
  if (frame.map.hidden) return;
  const [copy, view] = frame.map.children;
  const x = copy.clientWidth / frame.scrollWidth, y = copy.clientHeight / frame.scrollHeight;
  Object.assign(view.style, {
    left: `${frame.scrollLeft * x}px`, top: `${frame.scrollTop * y}px`,
    width: `${frame.clientWidth * x}px`, height: `${frame.clientHeight * y}px`,
  });
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll(".mr-overview .mr-diagram-frame").forEach(connectZoom));

// The diagrams of two networks: opened, scrolled, scaled and lit together.

const SVG = "http://www.w3.org/2000/svg";
const LEAST_SCALE = 0.7; // at which wide drawings begin: smaller text is hard to read

/** Whether a row is among numbers in short: [start], [start, count] or [start, count, step]. */
function coversRow(progressions, number) {
  return progressions.some(([start, count = 1, step = 1]) =>
    number >= start && (number - start) % step === 0 && (number - start) / step < count);
}

/** The layer or the group that a link of a drawing leads to. */
function nodeOf(address) {
  return decodeURIComponent(address.includes("#") ? address.split("#").pop() : address.split("/").pop().replace(/\.svg$/, ""));
}

/** The sign of a difference at the upper right corner of a node, as the page has it in overviews. */
function addSign(anchor, [text, consequence]) {
  const box = anchor.querySelector("polygon");
  const places = box.getAttribute("points").trim().split(/\s+/).map((place) => place.split(",").map(Number));
  const [right, top] = [Math.max(...places.map(([x]) => x)), Math.min(...places.map(([, y]) => y))];
  const width = 8 + 7 * text.length;
  const shapes = [
    ["rect", { x: right - width + 6, y: top - 9, width, height: 15, rx: 4 }],
    ["text", { x: right + 6 - width / 2, y: top + 2.5, "text-anchor": "middle" }],
  ];
  const sign = document.createElementNS(SVG, "g");
  sign.setAttribute("class", `mr-sign mr-consequence-${consequence || "none"}`);
  for (const [name, attributes] of shapes) {
    const shape = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
    if (name === "text") shape.textContent = text;
    sign.append(shape);
  }
  anchor.ownerSVGElement.querySelector("g").append(sign); // last: nothing covers it
  anchor.setAttribute("class", `mr-marked mr-consequence-${consequence || "none"}`);
}

/** One of the two diagrams. */
class Twin {
  constructor(figure, side, data) {
    this.figure = figure;
    this.frame = figure.querySelector(".mr-diagram-frame");
    this.letter = "ab"[side];
    this.data = data;
    this.overview = this.frame?.querySelector("svg");
    this.level = "";
    this.frame?.addEventListener("keydown", (event) => this.press(event));
    this.stopAt(this.links()[0]);
  }

  /** The links of the shown drawing, in the order of the network. */
  links() {
    return this.frame ? [...this.svg.querySelectorAll("a[data-node]")] : [];
  }

  /** Makes one link the stop of the Tab key; arrow keys move among the others. */
  stopAt(link) {
    for (const one of this.links()) one.setAttribute("tabindex", one === link ? "0" : "-1");
  }

  press(event) {
    const links = this.links();
    const place = links.indexOf(event.target.closest("a[data-node]"));
    const goals = { ArrowDown: 1, ArrowRight: 1, j: 1, ArrowUp: -1, ArrowLeft: -1, k: -1 };
    if (place < 0 || !(event.key in goals) || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = links[Math.max(0, Math.min(place + goals[event.key], links.length - 1))];
    this.stopAt(next);
    next.focus({ preventScroll: true });
    centre(this.frame, next);
    event.preventDefault();
  }

  get svg() {
    return this.frame.querySelector("svg");
  }

  /** The scales at which the shown drawing is as wide, and as high, as its frame. */
  fit() {
    const { width, height } = this.svg.viewBox.baseVal;
    const room = 30; // the frame's padding and a scroll bar
    return { width: (this.frame.clientWidth - room) / width, height: (this.frame.clientHeight - room) / height };
  }

  /** Shows a level, or the overview; false where its drawing cannot be had. */
  async open(level) {
    if (!this.frame || level === this.level) return true;
    try {
      this.frame.replaceChildren(level ? await this.drawing(level) : this.overview);
    } catch {
      location.href = this.data.folder + level + ".svg"; // a page opened as a file may not fetch
      return false;
    }
    this.level = level;
    this.stopAt(this.links()[0]);
    this.frame.scrollTo(0, 0);
    this.showPath();
    return true;
  }

  /** The marked drawing of a level: from the page, or from the file of the port's page. */
  async drawing(level) {
    const held = this.figure.querySelector(`template[data-level="${CSS.escape(level)}"]`);
    if (held) return held.content.firstElementChild.cloneNode(true);
    const answer = await fetch(this.data.folder + level + ".svg");
    if (!answer.ok) throw new Error(answer.statusText);
    const parsed = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
    const svg = document.importNode(parsed.documentElement, true);
    for (const anchor of svg.querySelectorAll("a")) this.mark(anchor);
    return svg;
  }

  /** A link of a fetched drawing: it leads to a row or a level, and shows what differs. */
  mark(anchor) {
    const address = anchor.getAttribute("xlink:href") ?? "";
    const node = nodeOf(address);
    anchor.dataset.node = node;
    if (anchor.querySelector("polygon")?.getAttribute("fill") === "#ffffff") anchor.dataset.stub = "";
    const isGroup = !address.includes("#");
    anchor.setAttribute("xlink:href", isGroup ? this.data.folder + address : `#${this.letter}-${node}`);
    const mark = this.data.marks[node];
    if (mark && !("stub" in anchor.dataset)) addSign(anchor, mark);
  }

  /** The way from the overview to the level that is shown. */
  showPath() {
    const path = this.figure.querySelector(".mr-path");
    const steps = [];
    for (let level = this.level; level; level = this.data.levels[level][1]) steps.unshift(level);
    path.replaceChildren(...["", ...steps].flatMap((level, place) => {
      const step = document.createElement("button");
      step.type = "button";
      step.dataset.level = level;
      step.textContent = level ? this.data.levels[level][0] : "Overview";
      if (level === this.level) step.setAttribute("aria-current", "true");
      return place ? [" › ", step] : [step];
    }));
    path.hidden = !this.level;
  }

  /** The nodes of the shown drawing that stand for a row. */
  nodes({ names, number }) {
    return this.links().filter((anchor) => {
      const node = anchor.dataset.node;
      if ("stub" in anchor.dataset && !node.startsWith("input-")) return false;
      const rows = this.data.rows[node];
      return names.includes(`${this.letter}-${node}`) || (rows ? coversRow(rows, number) : false);
    });
  }

  /** Lights up the nodes of a row: here, or on the nearest level above that has them. */
  async light(row) {
    if (!this.frame) return;
    while (this.level && !this.nodes(row).length) await this.open(this.data.levels[this.level][1]);
    for (const lit of this.frame.querySelectorAll(".mr-lit")) lit.classList.remove("mr-lit");
    const nodes = this.nodes(row);
    for (const node of nodes) node.classList.add("mr-lit");
    if (!nodes.length) return;
    centre(this.frame, nodes[0]);
    this.stopAt(nodes[0]);
  }
}

/** Both diagrams of a comparison. */
class Twins {
  constructor(section, alignment) {
    const { sides, pairs } = JSON.parse(section.querySelector("script").textContent);
    const figures = section.querySelectorAll(".mr-twin");
    this.twins = sides.map((data, side) => new Twin(figures[side], side, data));
    this.pairs = [pairs, Object.fromEntries(Object.entries(pairs).map(([a, b]) => [b, a]))];
    this.alignment = alignment;
    this.label = section.querySelector(".mr-twin-row");
    this.scale = 1;
    this.leader = null;
    section.querySelector(".mr-twin-tools").hidden = false;
    for (const button of section.querySelectorAll("[data-zoom]")) {
      button.addEventListener("click", () => this.zoom(button.dataset.zoom));
    }
    this.twins.forEach((twin, side) => this.connect(twin, side));
    document.addEventListener("mr-row", (event) => this.light(event.detail));
    const widths = this.twins.filter((twin) => twin.frame).map((twin) => twin.fit().width);
    this.scale = Math.min(1, Math.max(LEAST_SCALE, Math.min(...widths)));
    this.resize();
  }

  /** Clicks, scrolling and dragging in one of the two. */
  connect(twin, side) {
    twin.figure.addEventListener("click", (event) => this.click(event, twin, side));
    if (!twin.frame) return;
    for (const kind of ["pointerdown", "wheel", "keydown"]) {
      twin.frame.addEventListener(kind, () => { this.leader = twin; }, { passive: true });
    }
    twin.frame.addEventListener("scroll", () => this.follow(twin));
    connectDrag(twin.frame);
  }

  /** Scrolls the other diagram to the same part of its height and width. */
  follow(twin) {
    if (twin !== this.leader) return;
    const other = this.twins.find((one) => one !== twin && one.frame)?.frame;
    if (!other) return;
    const part = (size, room, place) => size > room ? place / (size - room) : 0;
    const { frame } = twin;
    other.scrollTo(
      part(frame.scrollWidth, frame.clientWidth, frame.scrollLeft) * (other.scrollWidth - other.clientWidth),
      part(frame.scrollHeight, frame.clientHeight, frame.scrollTop) * (other.scrollHeight - other.clientHeight),
    );
  }

  async click(event, twin, side) {
    const step = event.target.closest("[data-level]");
    const anchor = event.target.closest("a[data-node]");
    if (event.ctrlKey || event.metaKey || !(step || anchor)) return;
    event.preventDefault();
    const node = anchor?.dataset.node;
    if (step) await this.open(twin, side, step.dataset.level);
    else if (node in twin.data.levels) await this.open(twin, side, node);
    else this.choose(`${twin.letter}-${node}`);
  }

  /** Opens a level in one diagram, and its counterpart in the other. */
  async open(twin, side, level) {
    const other = this.twins[1 - side];
    const counterpart = level ? this.pairs[side][level] : "";
    this.leader = null;
    if (await twin.open(level) && counterpart !== undefined) await other.open(counterpart);
    this.resize();
  }

  /** Selects the row of a box that was clicked, without scrolling the page away from it. */
  async choose(name) {
    let target = document.getElementById(name);
    if (!target && await this.alignment.hold()) target = document.getElementById(name);
    const row = target?.closest("tr");
    if (row) this.alignment.select(row);
  }

  /** Shows the selected row in words, and its boxes in both. */
  async light(detail) {
    this.leader = null;
    this.describe(detail);
    for (const twin of this.twins) await twin.light(detail);
    this.resize();
  }

  describe({ row, names }) {
    const [a, b] = ["a", "b"].map((letter) => names.filter((name) => name.startsWith(`${letter}-`))
      .map((name) => document.getElementById(name).textContent).join(" + "));
    const link = document.createElement("a");
    link.href = `#${names[0]}`;
    link.textContent = [a, b].filter(Boolean).join(" | ");
    const gutter = row.querySelector(".mr-gutter").cloneNode(true);
    for (const stop of gutter.querySelectorAll("[tabindex]")) stop.removeAttribute("tabindex");
    this.label.replaceChildren(link, " ", ...gutter.childNodes);
  }

  /** Scales both drawings by a factor, or so that both fit their frames. */
  zoom(factor) {
    if (factor === "fit") {
      const fits = this.twins.filter((twin) => twin.frame).map((twin) => twin.fit());
      this.scale = Math.min(1, ...fits.flatMap(({ width, height }) => [width, height]));
    } else {
      this.scale = Math.min(4, Math.max(0.1, this.scale * Number(factor)));
    }
    this.resize();
  }

  resize() {
    for (const { frame, svg } of this.twins.filter((twin) => twin.frame)) {
      svg.style.width = `${svg.viewBox.baseVal.width * this.scale}px`;
    }
  }
}

/** Lets the mouse drag what a frame shows. */
function connectDrag(frame) {
  let from = null;
  frame.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button === 0) from = [event.clientX, event.clientY];
  });
  frame.addEventListener("pointermove", (event) => {
    if (!from || !event.buttons) return;
    const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
    if (!frame.matches(".mr-dragged") && Math.hypot(x, y) < 5) return;
    frame.classList.add("mr-dragged");
    frame.scrollBy(-x, -y);
    from = [event.clientX, event.clientY];
  });
  addEventListener("pointerup", () => {
    from = null;
    setTimeout(() => frame.classList.remove("mr-dragged"));
  });
  frame.addEventListener("click", (event) => {
    if (!frame.matches(".mr-dragged")) return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  frame.addEventListener("dragstart", (event) => event.preventDefault());
}

document.querySelectorAll(".mr-twins").forEach((section) => new Twins(section, pageAlignment));

// One of the two diagrams of a comparison: its levels, its marks, and the boxes of a row.

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

/** The number at `to` where that at `from` is `value`, linear between the two nearest places. */
function interpolate(places, value, from, to) {
  const after = places.findIndex((place) => place[from] >= value);
  if (after < 0) return places.at(-1)[to];
  if (after === 0) return places[0][to];
  const [low, high] = [places[after - 1], places[after]];
  return low[to] + ((value - low[from]) / (high[from] - low[from])) * (high[to] - low[to]);
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

  /**
   * Places of the shown drawing: [row, part of the drawing's height above it], both ascending.
   * `numberOf` gives the row of a layer's name.
   */
  places(numberOf) {
    if (this.placed?.svg === this.svg) return this.placed.places;
    const outer = this.svg.getBoundingClientRect();
    const places = this.links().filter((anchor) => !("stub" in anchor.dataset)).flatMap((anchor) => {
      const { top, bottom } = anchor.getBoundingClientRect();
      const [first, end] = this.span(anchor.dataset.node, numberOf);
      return first === undefined ? [] : [[first, (top - outer.top) / outer.height], [end, (bottom - outer.top) / outer.height]];
    });
    places.sort(([one], [other]) => one - other);
    let lowest = 0;
    for (const place of places) place[1] = lowest = Math.max(lowest, place[1]);
    this.placed = { svg: this.svg, places: [[0, 0], ...places, [(places.at(-1)?.[0] ?? 0) + 1, 1]] };
    return this.placed.places;
  }

  /** The rows of a node: the first and the one after the last; of a repeat's layer, its first instance. */
  span(node, numberOf) {
    const covered = this.data.rows[node];
    if (!covered) {
      const row = numberOf(`${this.letter}-${node}`);
      return [row, row + 1];
    }
    const ends = covered.map(([start, count = 1, step = 1]) => step === 1 ? start + count : start + 1);
    return [Math.min(...covered.map(([start]) => start)), Math.max(...ends)];
  }

  /** The part of the drawing's height that is above the middle of its frame. */
  middle() {
    const [outer, drawing] = [this.frame.getBoundingClientRect(), this.svg.getBoundingClientRect()];
    return (outer.top + outer.height / 2 - drawing.top) / drawing.height;
  }

  /** Brings a part of the drawing's height to the middle of its frame. */
  scrollToPart(part) {
    this.frame.scrollTop += (part - this.middle()) * this.svg.getBoundingClientRect().height;
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
    this.paint();
    this.stopAt(this.links()[0]);
    this.frame.scrollTo(0, 0);
    this.showPath();
    return true;
  }

  /** Colours this level, and those that are opened later, by `error` or, with an empty word, by operator. */
  colourBy(figure) {
    this.figured = figure;
    if (this.frame) this.paint();
  }

  paint() {
    for (const link of this.links().filter((anchor) => !("stub" in anchor.dataset))) {
      const [step, text] = this.data.errors[link.dataset.node] ?? [0, "equal results"];
      const own = (link.plain ??= link.getAttribute("xlink:title") ?? "");
      link.classList.remove(...[...link.classList].filter((name) => name.startsWith("mr-heat")));
      if (this.figured) link.classList.add("mr-heat", step < 0 ? "mr-heat-unknown" : `mr-heat-${step}`);
      link.setAttribute("xlink:title", this.figured ? `${own}: ${text}` : own);
    }
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

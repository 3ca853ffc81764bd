// The diagrams of two networks: opened, scrolled, scaled and lit together.

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
    this.connectColours(section);
    document.addEventListener("mr-row", (event) => this.light(event.detail));
    const widths = this.twins.filter((twin) => twin.frame).map((twin) => twin.fit().width);
    this.scale = Math.min(1, Math.max(LEAST_SCALE, Math.min(...widths)));
    this.resize();
  }

  /** The choice of what colours both diagrams; it is kept in the page's address. */
  connectColours(section) {
    const choice = section.querySelector("[data-colour]");
    if (!choice) return;
    const show = () => {
      section.querySelector(".mr-error-legend").hidden = !choice.value;
      for (const twin of this.twins) twin.colourBy(choice.value);
    };
    choice.addEventListener("input", () => {
      keepColour(choice.value);
      show();
    });
    choice.value = new URLSearchParams(location.search).get("colour") === "error" ? "error" : "";
    show();
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

  /** Scrolls the other diagram to the row that is in the middle, and to the same part of its width. */
  follow(twin) {
    if (twin !== this.leader) return;
    const other = this.twins.find((one) => one !== twin && one.frame);
    if (!other) return;
    const { frame } = twin, room = other.frame.scrollWidth - other.frame.clientWidth;
    other.frame.scrollLeft = room * frame.scrollLeft / Math.max(1, frame.scrollWidth - frame.clientWidth);
    const numberOf = (name) => this.numberOf(name);
    const row = interpolate(twin.places(numberOf), twin.middle(), 1, 0);
    other.scrollToPart(interpolate(other.places(numberOf), row, 0, 1));
  }

  /** The position of a layer's row in the comparison, undefined where the page does not hold it. */
  numberOf(name) {
    const row = document.getElementById(name)?.closest("#alignment tbody tr");
    return row ? this.alignment.number(row) : undefined;
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

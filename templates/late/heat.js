// Colours a port's diagram by time or memory. The page loads it when a reader asks for that.
(() => {
  /** The figure of a kind: from bytes of activations and parameters, and times of forward and backward. */
  const PICKED = { memory: [0, 1], time: [2, 3], forward: [2], backward: [3] };
  const WORDS = ["activations", "parameters", "forward", "backward"];
  const NAMES = { memory: "memory: parameters, and activations at the batch of the diagram",
    time: "time of a step", forward: "time of the forward pass", backward: "time of the backward pass" };

  const spelled = (kind, figure) => (kind === "memory" ? spelledBytes(figure) : spelledTime(figure));

  /** The sum of what a kind counts; null where nothing of it is known. */
  function amount(figures, kind) {
    const known = PICKED[kind].map((index) => figures[index]).filter((figure) => figure !== null);
    return known.length ? known.reduce((sum, figure) => sum + figure, 0) : null;
  }

  /** The layer or group that a link of the drawing is of; empty for ends and stubs. */
  function keyOf(anchor) {
    const address = hrefOf(anchor);
    const isElsewhere = anchor.querySelector("polygon")?.getAttribute("fill") === "#ffffff";
    if (isElsewhere) return "";
    return address.endsWith(".svg") ? `level=${levelOf(address)}` : decodeURIComponent(address.replace(/^.*#/, ""));
  }

  /** What a node's tooltip says of its figures. */
  function told(figures, kind, whole, note) {
    const figure = amount(figures, kind);
    if (figure === null) return kind === "memory" ? "size unknown" : note ?? "not timed";
    const share = whole ? `${threeDigits((100 * figure) / whole)} %` : "";
    const parts = PICKED[kind].filter((index) => figures[index] !== null && PICKED[kind].length > 1);
    return [spelled(kind, figure), share, ...parts.map((index) => `${WORDS[index]} ${spelled(kind, figures[index])}`)]
      .filter(Boolean).join(" · ");
  }

  /** Colours the nodes of the drawing that is shown, in one pass. */
  function paint(overview) {
    const { kind, data } = overview.heat, whole = kind && amount(data.total, kind);
    for (const anchor of overview.querySelectorAll(".mr-diagram a[*|href]")) {
      const key = keyOf(anchor), figures = data.figures[key], node = anchor.parentNode;
      if (!figures) continue;
      const own = (anchor.plain ??= anchor.getAttribute("xlink:title") ?? "");
      node.classList.remove(...[...node.classList].filter((name) => name.startsWith("mr-heat")));
      anchor.setAttribute("xlink:title", kind ? `${own}: ${told(figures, kind, whole, data.notes[key])}` : own);
      if (!kind) continue;
      const figure = amount(figures, kind);
      const step = figure === null || !whole ? "unknown" : data.shares.filter((share) => figure >= share * whole).length;
      node.classList.add("mr-heat", `mr-heat-${step}`);
    }
    const frame = overview.querySelector(".mr-diagram-frame");
    if (frame.map) {
      frame.map.drawn = null;
      drawMap(frame);
    }
  }

  /** Writes what the colours mean. */
  function writeLegend(overview) {
    const { kind, data } = overview.heat;
    overview.querySelector(".mr-heat-legend")?.remove();
    if (!kind) return;
    const whole = amount(data.total, kind);
    const legend = element("p", { className: "mr-heat-legend" });
    const key = (name, text) => element("span", { className: `mr-heat ${name}`, textContent: text });
    const percent = (share) => `${100 * share} %`, value = (share) => spelled(kind, share * whole);
    const steps = data.shares.map((share, index) => key(`mr-heat-${index + 1}`, `from ${percent(share)}, ${value(share)}`));
    const under = key("mr-heat-0", `under ${percent(data.shares[0])}`);
    const run = kind === "memory" || !data.run ? "" : ` (${data.run})`;
    if (whole) legend.append(`Share of ${spelled(kind, whole)}, ${NAMES[kind]}${run}: `, under, ...steps);
    else legend.append(`No ${NAMES[kind]} is known: `);
    legend.append(key("mr-heat-unknown", "unknown"));
    overview.querySelector(".mr-diagram-box").prepend(legend);
  }

  function connect(overview) {
    overview.querySelector(".mr-diagram-frame").addEventListener("redrawn", () => paint(overview));
  }

  receiveData((overview, kind, data) => {
    if (!overview.heat) connect(overview);
    overview.heat = { kind, data };
    paint(overview);
    writeLegend(overview);
  });
})();

// Draws the roofline of a port: each layer by operations per byte, under what a device can do.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 760, HEIGHT = 400, LEFT = 64, RIGHT = 16, TOP = 14, BOTTOM = 44;
  const ROWS = 15;

  const rate = (operations) => (operations >= 1e12 ? `${threeDigits(operations / 1e12)} TFLOP/s` : `${threeDigits(operations / 1e9)} GFLOP/s`);

  function element(name, attributes, ...inside) {
    const one = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    one.append(...inside);
    return one;
  }

  /** Each layer on a device: its intensity, its least time, what bounds it, and its measured time. */
  function points(data, { peak, bandwidth, times, half, measured }) {
    const shrink = half ? 0.5 : 1; // 16 bits take half the bytes
    return data.layers.map(([id, name, operator, operations, activations, parameters, us]) => {
      const work = operations * times, bytes = (activations * times + parameters) * shrink;
      const computing = (work / peak) * 1e6, moving = (bytes / bandwidth) * 1e6;
      return { id, name, operator, work, bytes, intensity: work / bytes, bound: computing > moving ? "arithmetic" : "memory",
        least: Math.max(computing, moving), us: measured ? us : null };
    });
  }

  /** Powers of ten that a range spans. */
  function decades(low, high) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) found.push(10 ** power);
    return found;
  }

  function axes(x, y, xs, ys) {
    const parts = [];
    for (const at of xs) {
      parts.push(element("line", { x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM, class: "mr-roof-grid" }));
      parts.push(element("text", { x: x(at), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, threeDigits(at)));
    }
    for (const at of ys) {
      parts.push(element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(at), y2: y(at), class: "mr-roof-grid" }));
      parts.push(element("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, threeDigits(at / 1e9)));
    }
    parts.push(element("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 8, "text-anchor": "middle" }, "operations per byte"));
    parts.push(element("text", { x: 12, y: TOP + (HEIGHT - BOTTOM) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${TOP + (HEIGHT - BOTTOM) / 2})` }, "GFLOP/s"));
    return parts;
  }

  /** The chart: the roof, each layer on it, and measured ones below it, joined by a line. */
  function chart(found, { peak, bandwidth }, label) {
    const shown = found.filter((one) => one.work > 0);
    const ridge = peak / bandwidth, intensities = [...shown.map((one) => one.intensity), ridge];
    const xs = decades(Math.min(...intensities), Math.max(...intensities) * 1.5);
    const attained = (one) => one.work / (one.us * 1e-6);
    const rates = [peak, ...shown.map((one) => Math.min(peak, one.intensity * bandwidth)), ...shown.filter((one) => one.us).map(attained)];
    const ys = decades(Math.max(Math.min(...rates), peak * 1e-7), peak);
    const scale = (from, to, low, high) => (value) => low + ((Math.log10(value) - Math.log10(from)) / (Math.log10(to) - Math.log10(from) || 1)) * (high - low);
    const x = scale(xs[0], xs.at(-1), LEFT, WIDTH - RIGHT), y = scale(ys[0], ys.at(-1), HEIGHT - BOTTOM, TOP);
    const roof = (at) => Math.max(Math.min(peak, at * bandwidth), ys[0]);
    const line = [xs[0], ridge, xs.at(-1)].map((at) => `${x(at)},${y(roof(at))}`).join(" ");
    const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": label, class: "mr-roof" });
    svg.append(...axes(x, y, xs, ys), element("polyline", { points: line, class: "mr-roof-line" }));
    for (const one of shown) {
      const link = element("a", { href: `#${one.id}` }, element("title", {}, told(one)));
      const at = x(one.intensity), top = y(roof(one.intensity));
      if (one.us) {
        const below = y(Math.max(attained(one), ys[0]));
        link.append(element("line", { x1: at, x2: at, y1: top, y2: below, class: "mr-roof-gap" }), element("circle", { cx: at, cy: below, r: 4.5, class: "mr-roof-measured" }));
      }
      link.append(element("circle", { cx: at, cy: top, r: 3.5, class: `mr-roof-${one.bound}` }));
      svg.append(link);
    }
    return svg;
  }

  const told = (one) => `${one.name}: ${threeDigits(one.intensity)} operations per byte, at least ${spelledTime(one.least)} (${one.bound})` + (one.us ? `, measured ${spelledTime(one.us)}` : "");

  /** The layers that need most time, as a table. */
  function table(found) {
    const measured = found.some((one) => one.us);
    const sorted = [...found].sort((a, b) => (b.us ?? b.least) - (a.us ?? a.least)).slice(0, ROWS);
    const heads = ["Layer", "Operator", "Operations per byte", "Bound by", "Least time", ...(measured ? ["Measured", "Of the possible"] : [])];
    const rows = sorted.map((one) => made("tr", {},
      made("th", { scope: "row" }, made("a", { href: `#${one.id}` }, one.name)), made("td", {}, one.operator),
      made("td", { class: "mr-number" }, one.work ? threeDigits(one.intensity) : "0"), made("td", {}, one.bound), made("td", { class: "mr-number" }, spelledTime(one.least)),
      ...(measured ? [made("td", { class: "mr-number" }, one.us ? spelledTime(one.us) : ""), made("td", { class: "mr-number" }, one.us ? `${threeDigits((100 * one.least) / one.us)} %` : "")] : [])));
    const scroll = made("div", { class: "mr-scroll", tabindex: "0", role: "region", "aria-label": "Layers that need most time" });
    scroll.append(made("table", { class: "mr-table" }, made("thead", {}, made("tr", {}, ...heads.map((head) => made("th", { scope: "col" }, head)))), made("tbody", {}, ...rows)));
    return scroll;
  }

  /** Fills the part of the page. */
  function show(place, data) {
    const form = place.querySelector("form"), { device, half, batch } = form.elements, { run } = data;
    device.append(...data.devices.map(([name]) => new Option(name, name)));
    const known = run && data.devices.some(([name]) => name === run.device);
    if (known) device.value = run.device;
    half.value = known && run.half ? "1" : "";
    batch.value = known && run.batch ? run.batch : data.batch;
    const saving = place.querySelector(".mr-roofline-chart");
    const draw = () => {
      const [name, float32, units, bandwidth] = data.devices.find(([one]) => one === device.value);
      half.options[1].disabled = !units;
      if (!units) half.value = "";
      const times = Math.max(1, Number(batch.value) || 1) / data.batch;
      const settings = { peak: half.value ? units : float32, bandwidth, times, half: half.value,
        measured: known && run.device === name && Boolean(half.value) === run.half && (!run.batch || Number(batch.value) === run.batch) };
      const found = points(data, settings), least = found.reduce((sum, one) => sum + one.least, 0);
      const memory = found.filter((one) => one.bound === "memory").reduce((sum, one) => sum + one.least, 0);
      form.querySelector("output").textContent = `at least ${spelledTime(least)} a forward pass, ${threeDigits((100 * memory) / least)} % of it bound by memory; ${rate(settings.peak)}, ${threeDigits(bandwidth / 1e9)} GB/s`;
      place.querySelector(".mr-roofline-measured").textContent = settings.measured ? "Hollow dots are the times of the recorded run." : known ? `Times were recorded on ${run.device}${run.batch ? `, batch ${run.batch}` : ""}.` : "";
      saving.replaceChildren(chart(found, settings, `Roofline on ${name}`));
      saving.before(...(saving.previousElementSibling.matches(".mr-save") ? [] : [saveMenu(saving)]));
      place.querySelector(".mr-roofline-table").replaceChildren(table(found));
    };
    form.addEventListener("input", draw);
    form.addEventListener("submit", (event) => event.preventDefault());
    draw();
  }

  receiveData(show);
})();

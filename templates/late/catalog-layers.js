// The page of all layers of the catalog: searched, filtered, sorted, and grouped by shape. The page
// loads it with the layers.
(() => {
  const ROW_HEIGHT = 26, MARGIN = 20;
  const NUMERIC = new Set(["parameters", "macs", "share_of_macs", "bytes"]);
  const SHAPE = ["operator", "kernel_shape", "strides", "dilations", "group", "inputs", "outputs"];

  const exact = (figure) => figure.toLocaleString("en", { maximumFractionDigits: 6 });
  const percent = (share) => `${Number((100 * share).toPrecision(share < 0.1 ? 2 : 3))} %`;
  const ratio = (a, b) => (a !== "" && b !== "" && a && b ? a / b : "");

  /** The value of a row in a column; empty where there is none. */
  const valueOf = ({ values, codes }, row) => (codes[row] < 0 ? "" : values[codes[row]]);

  function address(item) {
    const parts = ["models", item.of("model"), "ports", item.of("port"), "index.html"];
    return `../${parts.map((part) => part.split("/").map(encodeURIComponent).join("/")).join("/")}#${encodeURIComponent(item.of("layer"))}`;
  }

  function linked(item, text) {
    const link = document.createElement("a");
    link.href = address(item);
    link.textContent = text;
    return link;
  }

  const figure = (key, title, of, spell = spelledCount) => ({ key, title, of, spell, isNumber: true });
  const text = (key, title, of, more = {}) => ({ key, title, of, ...more });
  const sizes = [
    figure("parameters", "Parameters", (item) => item.of("parameters")),
    figure("macs", "MACs", (item) => item.of("macs")),
  ];
  const ratios = [
    { ...figure("reuse", "MACs/param.", (item) => ratio(item.of("macs"), item.of("parameters"))), isWide: true },
    { ...figure("intensity", "MACs/byte", (item) => ratio(item.of("macs"), item.of("bytes"))), isWide: true },
  ];

  const OF_LAYERS = [
    text("port", "Port", (item) => `${item.of("model")}/${item.of("port")}`),
    text("name", "Layer", (item) => item.of("name"), { cell: (item) => linked(item, item.of("name") || item.of("layer")), isHead: true }),
    text("operator", "Operator", (item) => item.of("operator")),
    text("settings", "Settings", (item) => item.of("settings")),
    text("inputs", "Input", (item) => item.of("inputs"), { isWide: true }),
    text("outputs", "Output", (item) => item.of("outputs")),
    ...sizes,
    figure("share_of_macs", "of port", (item) => item.of("share_of_macs"), percent),
    ...ratios,
  ];
  const OF_SHAPES = [
    text("operator", "Operator", (item) => item.of("operator"), { cell: (item) => narrowing(item), isHead: true }),
    text("settings", "Window", (item) => item.of("window")),
    text("inputs", "Input", (item) => item.of("inputs")),
    text("outputs", "Output", (item) => item.of("outputs")),
    figure("layers", "Layers", (item) => item.layers, exact),
    figure("ports", "Ports", (item) => item.ports, exact),
    ...sizes,
    figure("total", "MACs in all", (item) => item.total),
    figure("part", "of shown", (item) => (item.whole ? item.total / item.whole : ""), percent),
    ...ratios,
  ];

  let data, form, table, body, frame, state;

  /** A layer, or the first layer of a shape. */
  class Item {
    constructor(row) { this.row = row; }
    of(name) { return name === "window" ? windowOf(this.row) : valueOf(data.columns[name], this.row); }
  }

  function windowOf(row) {
    const [kernel, stride, dilation, group] = SHAPE.slice(1, 5).map((name) => valueOf(data.columns[name], row));
    const said = (value) => value && !/^1(×1)*$/.test(value);
    return [kernel, said(stride) && `/${stride}`, said(dilation) && `dilation ${dilation}`, said(group) && `groups ${group}`].filter(Boolean).join(" ");
  }

  /** A button that shows the layers of a shape. */
  function narrowing(item) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "mr-link";
    button.textContent = item.of("operator");
    button.title = "show these layers";
    button.addEventListener("click", () => {
      const said = SHAPE.filter((name) => item.of(name)).map((name) => `${name}="${item.of(name)}"`);
      form.elements.text.value = said.join(" ");
      form.elements.by.value = "";
      form.elements.operator.value = "";
      update();
    });
    return button;
  }

  /** For each row the number of its shape: equal operators, windows, inputs and outputs. */
  function shapes() {
    if (data.shapes) return data.shapes;
    const numbers = new Int32Array(data.rows), known = new Map();
    const codes = SHAPE.map((name) => data.columns[name].codes);
    for (let row = 0; row < data.rows; row++) {
      const key = codes.map((one) => one[row]).join();
      let number = known.get(key);
      if (number === undefined) known.set(key, number = known.size);
      numbers[row] = number;
    }
    return (data.shapes = numbers);
  }

  function grouped(rows) {
    const numbers = shapes(), { model, port, macs } = data.columns, groups = new Map();
    let whole = 0;
    for (const row of rows) {
      let group = groups.get(numbers[row]);
      if (!group) groups.set(numbers[row], group = Object.assign(new Item(row), { layers: 0, total: 0, seen: new Set() }));
      const count = valueOf(macs, row) || 0;
      group.layers++;
      group.total += count;
      whole += count;
      group.seen.add(model.codes[row] * 4096 + port.codes[row]);
    }
    const items = [...groups.values()];
    for (const item of items) { item.ports = item.seen.size; item.whole = whole; }
    return items;
  }

  /** The items in the order of the sorted column; empty values are last in either direction. */
  function sorted(items, columns) {
    const column = columns.find((one) => one.key === state.sort);
    if (!column) return items;
    const collator = new Intl.Collator("en", { numeric: true }), direction = state.down ? -1 : 1;
    const keyed = items.map((item) => [column.of(item), item]);
    keyed.sort(([a], [b]) => {
      if (a === "" || b === "") return (a === "") - (b === "");
      return direction * (column.isNumber ? a - b : collator.compare(a, b));
    });
    return keyed.map(([, item]) => item);
  }

  /** The rows that all of the form's criteria leave. */
  function chosen() {
    const { terms, problem } = globalThis.layerQuery.parse(form.elements.text.value, Object.keys(data.columns));
    for (const name of ["operator", "framework"]) {
      if (form.elements[name].value) terms.push({ field: name, sign: "=", value: form.elements[name].value.toLowerCase() });
    }
    const marks = globalThis.layerQuery.rowsWith(terms, data), rows = [];
    for (let row = 0; row < marks.length; row++) if (marks[row]) rows.push(row);
    return { rows, problem };
  }

  function countPorts(rows) {
    const { model, port } = data.columns, seen = new Set();
    for (const row of rows) seen.add(model.codes[row] * 4096 + port.codes[row]);
    return seen.size;
  }

  function sum(rows, name) {
    let total = 0;
    for (const row of rows) total += valueOf(data.columns[name], row) || 0;
    return total;
  }

  const many = (count, word) => `${exact(count)} ${word}${count === 1 ? "" : "s"}`;

  /** Shows what the form asks for. */
  function update() {
    const { rows, problem } = chosen(), isGrouped = form.elements.by.value === "shape";
    const columns = isGrouped ? OF_SHAPES : OF_LAYERS;
    if (state.columns !== columns) Object.assign(state, { columns, sort: isGrouped ? "total" : "", down: true });
    state.rows = rows;
    state.items = sorted(isGrouped ? grouped(rows) : rows.map((row) => new Item(row)), columns);
    const shown = isGrouped ? `${many(state.items.length, "shape")} of ${many(rows.length, "layer")}` : `${exact(rows.length)} of ${many(data.rows, "layer")}`;
    form.querySelector("output").textContent = problem || `${shown} in ${many(countPorts(rows), "port")}: ${spelledCount(sum(rows, "macs"))} MACs, ${spelledCount(sum(rows, "parameters"))} parameters`;
    form.querySelector("output").classList.toggle("mr-problem", Boolean(problem));
    remember();
    writeHead();
    frame.scrollTop = 0;
    paint(true);
  }

  function remember() {
    const values = new URLSearchParams();
    for (const name of ["text", "operator", "framework", "by"]) if (form.elements[name].value) values.set(name, form.elements[name].value);
    if (state.sort && !(state.sort === "total" && state.down)) values.set("sort", (state.down ? "-" : "") + state.sort);
    try {
      history.replaceState(history.state, "", values.size ? `?${values}` : location.pathname);
    } catch { /* a browser that allows no other address for a file */ }
  }

  function writeHead() {
    const row = document.createElement("tr");
    for (const column of state.columns) {
      const head = document.createElement("th"), button = document.createElement("button");
      head.scope = "col";
      head.className = classOf(column);
      button.type = "button";
      button.textContent = column.title;
      if (column.key === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      button.addEventListener("click", () => {
        state.down = column.key === state.sort ? !state.down : Boolean(column.isNumber);
        state.sort = column.key;
        update();
        table.tHead.querySelector("[aria-sort] button").focus();
      });
      head.append(button);
      row.append(head);
    }
    table.tHead.replaceChildren(row);
    table.setAttribute("aria-rowcount", state.items.length + 1);
  }

  const classOf = (column) => [column.isNumber && "mr-number", column.isWide && "mr-wide-only", `mr-of-${column.key}`].filter(Boolean).join(" ");

  function rowFor(item, index) {
    const row = document.createElement("tr");
    row.setAttribute("aria-rowindex", index + 2);
    for (const column of state.columns) {
      const cell = document.createElement(column.isHead ? "th" : "td"), value = column.of(item);
      if (column.isHead) cell.scope = "row";
      cell.className = classOf(column);
      if (column.cell) cell.append(column.cell(item));
      else cell.textContent = column.isNumber && value !== "" ? column.spell(value) : value;
      cell.title = column.isNumber && value !== "" ? exact(value) : value;
      row.append(cell);
    }
    return row;
  }

  function spacer(height) {
    const row = document.createElement("tr"), cell = document.createElement("td");
    row.className = "mr-spacer";
    row.setAttribute("aria-hidden", "true");
    cell.colSpan = state.columns.length;
    cell.style.height = `${height}px`;
    row.append(cell);
    return row;
  }

  /** Writes the rows in view, and some around them. */
  function paint(anew) {
    const first = Math.max(0, Math.floor(frame.scrollTop / ROW_HEIGHT) - MARGIN);
    const last = Math.min(state.items.length, Math.ceil((frame.scrollTop + frame.clientHeight) / ROW_HEIGHT) + MARGIN);
    if (!anew && Math.abs(first - state.first) < MARGIN / 2 && Math.abs(last - state.last) < MARGIN / 2) return;
    Object.assign(state, { first, last });
    const rows = state.items.slice(first, last).map((item, at) => rowFor(item, first + at));
    body.replaceChildren(spacer(first * ROW_HEIGHT), ...rows, spacer((state.items.length - last) * ROW_HEIGHT));
  }

  /** The layers that are shown, as CSV with raw figures. */
  function save() {
    const names = Object.keys(data.columns);
    const quoted = (value) => (/[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
    const lines = state.rows.map((row) => names.map((name) => quoted(valueOf(data.columns[name], row))).join());
    download(new Blob([[names.join(), ...lines, ""].join("\r\n")], { type: "text/csv" }), "layers.csv");
  }

  function addChoices(name) {
    const { values, codes } = data.columns[name], counts = values.map(() => 0);
    for (const code of codes) if (code >= 0) counts[code]++;
    const choices = values.map((value, code) => [value, counts[code]]).sort(([a], [b]) => a.localeCompare(b));
    form.elements[name].append(...choices.map(([value, count]) => new Option(`${value} (${exact(count)})`, value)));
  }

  function connect() {
    let waiting;
    const soon = () => { clearTimeout(waiting); waiting = setTimeout(update, 60); };
    form.addEventListener("input", (event) => (event.target.name === "text" ? soon() : update()));
    form.addEventListener("submit", (event) => { event.preventDefault(); update(); });
    form.querySelector(".mr-save").addEventListener("click", save);
    for (const example of document.querySelectorAll(".mr-examples button")) {
      example.addEventListener("click", () => { form.elements.text.value = example.textContent; form.elements.text.focus(); update(); });
    }
    let painting = false;
    frame.addEventListener("scroll", () => {
      if (painting) return;
      painting = true;
      requestAnimationFrame(() => { painting = false; paint(false); });
    }, { passive: true });
  }

  /** The settings in what the site was searched for, which led here: `kernel=7x7`. */
  const searchedFor = (words) => words.split(" ").filter((word) => word.includes("=")).join(" ");

  /** Fills the page with the layers. */
  function show(place, layers) {
    data = Object.assign(layers, { numeric: NUMERIC });
    form = place.querySelector("form");
    table = place.querySelector("table");
    [body] = table.tBodies;
    frame = table.parentElement;
    state = { columns: null, sort: "", down: true, rows: [], items: [] };
    for (const name of ["operator", "framework"]) addChoices(name);
    const asked = new URLSearchParams(location.search);
    for (const name of ["text", "operator", "framework", "by"]) form.elements[name].value = asked.get(name) ?? "";
    form.elements.text.value ||= searchedFor(asked.get("h") ?? "");
    const sort = asked.get("sort") ?? "";
    form.hidden = table.hidden = false;
    connect();
    state.columns = form.elements.by.value === "shape" ? OF_SHAPES : OF_LAYERS;
    state.sort = sort.replace(/^-/, "") || (form.elements.by.value === "shape" ? "total" : "");
    state.down = !sort || sort.startsWith("-");
    update();
  }

  receiveData(show);
})();

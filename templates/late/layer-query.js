// What a search of the layers of the catalog asks for: words, and comparisons such as `dilation > 1`.
globalThis.layerQuery = (() => {
  const TEXTS = ["model", "port", "framework", "operator", "name", "module", "settings"];
  const NAMES = {
    kernel: "kernel_shape", stride: "strides", pad: "pads", dilation: "dilations", groups: "group",
    params: "parameters", share: "share_of_macs", input: "inputs", output: "outputs",
  };
  const UNITS = { "": 1, "%": 0.01, k: 1e3, m: 1e6, g: 1e9, t: 1e12, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 };
  const SIZES = new Set(["kernel_shape", "strides", "pads", "dilations", "group"]);
  const SHAPES = new Set(["inputs", "outputs"]);
  const TERM = /([a-z_]+)\s*(>=|<=|!=|=|>|<)\s*(?:"([^"]*)"|(\S+))|"([^"]*)"|(\S+)/gi;

  /** Functions that compare two numbers, by their signs. */
  const COMPARED = {
    "=": (a, b) => a === b, "!=": (a, b) => a !== b,
    ">": (a, b) => a > b, "<": (a, b) => a < b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b,
  };

  /** The terms of a text; `problem` says what of it cannot be understood. */
  function parse(text, fields) {
    const terms = [];
    for (const [, given, sign, quoted, bare, phrase, word] of text.matchAll(TERM)) {
      if (!given) { terms.push({ word: searchable(phrase ?? word) }); continue; }
      const field = NAMES[given.toLowerCase()] ?? given.toLowerCase();
      if (!fields.includes(field)) return { terms: [], problem: `There is no column “${given}”. Columns: ${fields.join(", ")}.` };
      terms.push({ field, sign, value: searchable(quoted ?? bare) });
    }
    return { terms, problem: "" };
  }

  /** A number with a unit, as `1.5G`, `10%` or `64KiB`; NaN if it is none. */
  function number(text) {
    const [, digits, unit] = /^([\d.]+(?:e[+-]?\d+)?)\s*([a-z%]*)$/i.exec(text) ?? [];
    return Number(digits) * (UNITS[unit?.toLowerCase()] ?? NaN);
  }

  const numbers = (text) => (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);

  /** Compares a size such as `3×3` with one number, which any axis may have, or with all of them. */
  function comparesSize(sign, wanted) {
    const asked = numbers(wanted), test = COMPARED[sign];
    return (text) => {
      const sizes = numbers(text);
      if (!sizes.length) return false;
      if (sign === ">" || sign === ">=") return sizes.some((one) => test(one, asked[0]));
      if (sign === "<" || sign === "<=") return sizes.every((one) => test(one, asked[0]));
      const all = asked.length === 1 ? sizes.map(() => asked[0]) : asked;
      const equal = sizes.every((one, axis) => one === (sizes.length === 1 ? all[0] : all[axis])) && (sizes.length === 1 ? new Set(all).size === 1 : sizes.length === all.length);
      return equal === (sign === "=");
    };
  }

  /** Compares text: a module also with those that it lies in, shapes also with one of several. */
  function comparesText(field, sign, wanted) {
    return (text) => {
      const found = searchable(text);
      const parts = SHAPES.has(field) ? found.split(" ") : [];
      const inside = field === "module" && (found.startsWith(`${wanted}.`) || found.startsWith(`${wanted}/`));
      return (found === wanted || parts.includes(wanted) || inside) === (sign === "=");
    };
  }

  function test({ field, sign, value }, isNumber) {
    if (isNumber) return (figure) => COMPARED[sign](figure, number(value));
    if (SIZES.has(field)) return comparesSize(sign, value);
    return comparesText(field, sign, value);
  }

  /** The rows that have a property, by testing each distinct value of a column once. */
  function matching({ values, codes }, holds, kept) {
    const good = Uint8Array.from(values, (value) => (holds(value) ? 1 : 0));
    const empty = holds("") ? 1 : 0;
    for (let row = 0; row < kept.length; row++) kept[row] |= codes[row] < 0 ? empty : good[codes[row]];
  }

  /** A mark for each row that has all terms. */
  function rowsWith(terms, data) {
    const all = new Uint8Array(data.rows).fill(1), one = new Uint8Array(data.rows);
    for (const term of terms) {
      one.fill(0);
      if (term.word) {
        for (const name of TEXTS) matching(data.columns[name], (text) => searchable(text).includes(term.word), one);
      } else {
        const column = data.columns[term.field], isNumber = data.numeric.has(term.field);
        const holds = test(term, isNumber);
        matching(column, isNumber ? (figure) => figure !== "" && holds(figure) : holds, one);
      }
      for (let row = 0; row < all.length; row++) all[row] &= one[row];
    }
    return all;
  }

  return { parse, rowsWith };
})();
receiveData(globalThis.layerQuery);

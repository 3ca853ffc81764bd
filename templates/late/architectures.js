// Two networks compared as architectures: facts, and stages of one resolution side by side.
(() => {
  const total = (one, name) => one.stages.reduce((sum, stage) => sum + stage[name], 0);
  const counted = (pairs, most = 6) =>
    pairs.slice(0, most).map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(", ") + (pairs.length > most ? ", …" : "");
  const divided = (a, b) => (b ? String(Number((a / b).toPrecision(3))) : "");

  const FACTS = {
    Input: (one) => one.inputs.join(", "),
    Layers: (one) => total(one, "layers").toLocaleString("en"),
    "Depth (layers with weights on the longest path)": (one) => one.depth,
    Parameters: (one) => spelledCount(total(one, "parameters")),
    MACs: (one) => spelledCount(total(one, "macs")),
    "Activations (outputs of all layers)": (one) => spelledBytes(total(one, "bytes")),
    "MACs per parameter": (one) => divided(total(one, "macs"), total(one, "parameters")),
    "Receptive field (pixels)": (one) => one.receptive_field.join(" × ") || "the whole input",
    Convolutions: (one) => counted(one.kernels) || "none",
    Operators: (one) => counted(one.operators),
  };

  /** Where a stage stands: how many times smaller than the input its images are, or its size. */
  function place(one, stage) {
    const input = one.inputs[0]?.split("×").map(Number) ?? [];
    const size = stage.size.split("×").map(Number);
    if (input.length !== 4 || size.length !== 2 || !(size[0] > 0)) return stage.size;
    const times = Math.round(Math.log2(input[2] / size[0]));
    return times > 0 ? `1/${2 ** times}` : times < 0 ? `${2 ** -times}` : "1";
  }

  /** The stages of both in rows: those of one place side by side, in the order of both. */
  function rows(a, b) {
    const [ours, theirs] = [a, b].map((one) => one.stages.map((stage) => [place(one, stage), stage]));
    const common = ours.map(() => new Array(theirs.length + 1).fill(0));
    common.push(new Array(theirs.length + 1).fill(0));
    for (let i = ours.length - 1; i >= 0; i--)
      for (let j = theirs.length - 1; j >= 0; j--)
        common[i][j] = ours[i][0] === theirs[j][0] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    const found = [];
    for (let i = 0, j = 0; i < ours.length || j < theirs.length;) {
      if (i < ours.length && j < theirs.length && ours[i][0] === theirs[j][0]) found.push([ours[i][0], ours[i++][1], theirs[j++][1]]);
      else if (j >= theirs.length || (i < ours.length && common[i + 1][j] >= common[i][j + 1])) found.push([ours[i][0], ours[i++][1], null]);
      else found.push([theirs[j][0], null, theirs[j++][1]]);
    }
    return found;
  }

  /** The cells of one network's stage; shares of MACs as bars. */
  function cells(one, stage) {
    if (!stage) return [made("td", { colspan: 5, class: "mr-note" }, "no stage of this size")];
    const share = stage.macs / (total(one, "macs") || 1);
    const bar = made("span", {});
    bar.style.width = `${(100 * share).toFixed(1)}%`;
    return [
      made("td", {}, ...(stage.size === "vector" ? [] : [made("span", { class: "mr-whole" }, stage.size), made("br", {})]), counted(stage.blocks, 8)),
      made("td", { class: "mr-number" }, String(stage.channels)),
      made("td", { class: "mr-number" }, spelledCount(stage.parameters)),
      made("td", { class: "mr-number" }, spelledCount(stage.macs), made("span", { class: "mr-bar" }, bar)),
      made("td", { class: "mr-number" }, spelledBytes(stage.bytes)),
    ];
  }

  const heading = (...texts) => texts.map((text) => made("th", { scope: "col" }, text));

  function table(head, body, label) {
    const scroll = made("div", { class: "mr-scroll", tabindex: "0", role: "region", "aria-label": label });
    scroll.append(made("table", { class: "mr-table mr-architectures" }, made("thead", {}, ...head), made("tbody", {}, ...body)));
    return scroll;
  }

  /** The comparison of two networks by name. */
  function compared([a, b], names) {
    const facts = Object.entries(FACTS).map(([name, of]) => made("tr", {}, made("th", { scope: "row" }, name), made("td", {}, String(of(a))), made("td", {}, String(of(b)))));
    const columns = ["blocks", "channels", "parameters", "MACs", "activations"];
    const over = made("tr", {}, made("td", {}), made("th", { scope: "colgroup", colspan: 5 }, names[0]), made("th", { scope: "colgroup", colspan: 5 }, names[1]));
    const stages = rows(a, b).map(([at, ours, theirs]) => made("tr", {}, made("th", { scope: "row" }, at), ...cells(a, ours), ...cells(b, theirs)));
    return [
      made("h3", {}, "As architectures"),
      table([made("tr", {}, made("td", {}), ...heading(...names))], facts, "Both networks as a whole"),
      made("p", { class: "mr-note" }, "Stages are layers of one resolution: as a fraction of the input's, with blocks and layers that have weights. Bars are shares of the network's MACs."),
      table([over, made("tr", {}, ...heading("size"), ...[...columns, ...columns].map((text) => made("th", { scope: "col", class: text === "blocks" ? "" : "mr-number" }, text)))], stages, "Stages of both networks"),
    ];
  }

  receiveData(compared);
})();

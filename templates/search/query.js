"use strict";
// What a reader types is asked for strictly at first, and less strictly where nothing is found:
// settings with their values (`kernel 7x7` as the word `kernel=7x7`), then all words, then any word.
(() => {
  const QUERY = 2, RESULT = 3;
  const SYNTAX = /["+*~^:]|(?:^|\s)-/; // the reader uses the syntax of the search itself
  const NAMES = { kernel_shape: "kernel", kernels: "kernel", strides: "stride", dilations: "dilation", pads: "pad", groups: "group", eps: "epsilon" };
  const send = self.postMessage.bind(self);
  let stages = [];

  const isPlain = (word) => self.lunr.stopWordFilter(word);

  /** A number or numbers as in the index: `7×7` as `7x7`, `1e-5` without its exponent; null if it is none. */
  function valueOf(word) {
    if (/^\d+(\.\d+)?e-?\d+$/.test(word)) return Number(word).toFixed(12).replace(/\.?0+$/, "");
    return /^\d[\d.,×x]*$/.test(word) ? word.replace(/×/g, "x") : null;
  }

  /** The words of a setting and its value, most precise first; none if these are no setting. */
  function settings(name, word) {
    const [own, given] = name.split("=");
    const typed = given ?? word ?? "", value = valueOf(typed);
    const begin = `${NAMES[own] ?? own}=`;
    if (own === "padding" && typed && value === null) return [`${begin}${typed}*`];
    if (value === null || /\d/.test(own)) return [];
    return /^\d+$/.test(value) ? [`${begin}${value}x${value}`, begin + value] : [begin + value];
  }

  /** Beginnings of words; whole words where they are numbers; the plural like the singular. */
  function required(word) {
    if (/^\d+$/.test(word)) return `+${word}`;
    return `+${word.length > 4 ? word.replace(/([^s])s$/, "$1") : word}*`;
  }

  /** A query with each setting as one word, in the `n`-th way to write its value; null if there is none. */
  function joined(words, n) {
    const terms = [];
    let found = false;
    for (let at = 0; at < words.length; at++) {
      const gap = ["size", "shape", "of", "="].includes(words[at + 1]) ? 1 : 0;
      const alone = words[at].includes("=");
      const ways = settings(words[at], alone ? "" : words[at + 1 + gap]);
      const way = ways[Math.min(n, ways.length - 1)];
      found ||= n < ways.length;
      terms.push(way ? `+${way}` : required(words[at]));
      if (way && !alone) at += 1 + gap;
    }
    return found ? terms.join(" ") : null;
  }

  /** The queries that are tried, one after the other. */
  function queriesOf(text) {
    if (SYNTAX.test(text)) return [text];
    const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
    const words = typed.flatMap((word) => word.split("-")).filter(Boolean);
    const telling = words.some(isPlain) ? words.filter(isPlain) : words;
    const all = telling.map(required).join(" ");
    return [joined(typed, 0), joined(typed, 1), all, telling.join(" ")].filter((query, at, every) => query && every.indexOf(query) === at);
  }

  function ask() {
    self.dispatchEvent(new MessageEvent("message", { data: { type: QUERY, data: stages.shift(), staged: true } }));
  }

  self.addEventListener("message", (event) => {
    if (event.data.type !== QUERY || !event.data.data || event.data.staged) return;
    event.stopImmediatePropagation();
    stages = queriesOf(event.data.data);
    ask();
  });

  self.postMessage = (message) => {
    if (message.type === RESULT && !message.data.items.length && stages.length) return ask();
    send(message);
  };
})();

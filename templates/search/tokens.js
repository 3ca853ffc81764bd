
// Lunr merges parts of its index that have equal keys, and writes two different parts as one key
// where digits are among their letters, as in names of layers: then a search fails altogether.
// With a separator between letter and number keys are unambiguous.
lunr.TokenSet.prototype.toString = function () {
  const edges = Object.keys(this.edges).sort().map((letter) => `${letter}${this.edges[letter].id}`);
  return this._str ?? [this.final ? "1" : "0", ...edges].join(" ");
};

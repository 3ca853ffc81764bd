// Figures as text, as the templates write them.

/** A number with three significant digits, without an exponent. */
const threeDigits = (number) => Number(number.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 6 });

/** A count with three significant digits and a prefix: `105 M`. */
function spelledCount(count) {
  const units = ["", " k", " M", " G", " T", " P"];
  let power = 0;
  while (Math.abs(count) >= 999.5 && power < units.length - 1) { count /= 1000; power++; }
  return Number(count.toPrecision(3)) + units[power];
}

/** Bytes in binary units: `9.19 MiB`. */
function spelledBytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let power = 0;
  for (; bytes >= 1000 && power < 4; power++) bytes /= 1024;
  return `${threeDigits(bytes)} ${units[power]}`;
}

/** Microseconds in the unit that suits them: `4.04 ms`. */
function spelledTime(us) {
  if (us >= 1e6) return `${threeDigits(us / 1e6)} s`;
  return us >= 1e3 ? `${threeDigits(us / 1e3)} ms` : `${threeDigits(us)} µs`;
}

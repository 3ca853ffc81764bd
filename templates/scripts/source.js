// Sources: long files are loaded when they are opened or a layer of theirs is selected.

/** Puts the lines of a long file into its place. */
async function loadSource(details) {
  const address = details?.dataset.lines;
  if (!address || details.querySelector(".mr-source")) return;
  const html = await loadData(address);
  if (!details.querySelector(".mr-source")) details.insertAdjacentHTML("beforeend", html);
}

/** Marks the lines of a layer in the source, within its frame. */
async function markSource(row) {
  const ids = [...row.querySelectorAll(".mr-place a")].map((link) => link.hash.slice(1)).filter((id) => id.startsWith("source-"));
  const files = new Set(ids.map((id) => id.replace(/-\d+$/, "")));
  await Promise.all([...files].map((file) => loadSource(document.getElementById(file))));
  const lines = ids.map((id) => document.getElementById(id)).filter(Boolean);
  highlight("mr-marked-line", lines);
  for (const line of lines.slice(0, 1)) {
    const frame = line.closest(".mr-source");
    if (frame) frame.scrollTop += line.getBoundingClientRect().y - frame.getBoundingClientRect().y - frame.clientHeight / 2;
  }
}

/** Shows a line of a long file that an address names, once its file is there; false if it is. */
function showSourceLine(hash) {
  const id = hash.slice(1);
  const details = /^source-\d+-\d+$/.test(id) && !document.getElementById(id) &&
    document.getElementById(id.replace(/-\d+$/, ""));
  if (!details) return false;
  loadSource(details).then(() => location.replace(hash));
  return true;
}

/** Follows a link to a line of a file that is not there yet. */
function followSourceLink(event) {
  const link = event.target.closest('a[href^="#source-"]');
  if (!link || event.ctrlKey || event.metaKey) return;
  if (showSourceLine(link.hash)) event.preventDefault();
}

addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("details[data-lines]").forEach((details) => {
    details.querySelector("p")?.remove();
    details.addEventListener("toggle", () => details.open && loadSource(details));
  });
  document.addEventListener("click", followSourceLink);
  showSourceLine(location.hash);
});

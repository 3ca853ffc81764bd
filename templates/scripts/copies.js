// The rows of a table as CSV or Markdown, to the clipboard or as a file.

/** The text of a cell: tensors of an opened list one by one. */
function cellText(cell) {
  const list = [...cell.querySelectorAll("details > div")];
  return (list.length ? list.map((one) => one.textContent).join("; ") : cell.textContent).replace(/\s+/g, " ").trim();
}

/** Headers and rows that are shown, as texts. */
function shownTexts(table) {
  const columns = [...table.tHead.rows[0].cells].map((cell, index) => [cell, index]).filter(([cell]) => cell.offsetWidth);
  const texts = stateOf(table).painted.filter((row) => row.id).map((row) =>
    columns.map(([cell, index]) => {
      const text = cellText(row.cells[index]);
      return cell.dataset.type === "number" ? text.replaceAll(",", "") : text;
    }));
  return [columns.map(([cell]) => cellText(cell)), ...texts];
}

const asCsv = (rows) => rows.map((row) =>
  row.map((text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",")).join("\r\n") + "\r\n";

function asMarkdown([head, ...rows]) {
  const line = (row) => `| ${row.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n") + "\n";
}

/** Copies a text, also where the page was opened as a file. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Does what a button of the filter says with the rows that are shown. */
async function copyOrDownload(table, what) {
  if (!what) return;
  await loadLayers(table);
  const rows = shownTexts(table);
  if (what === "download") {
    download(new Blob([asCsv(rows)], { type: "text/csv" }), "layers-shown.csv");
  } else {
    await copyText(what === "csv" ? asCsv(rows) : asMarkdown(rows));
    notice(`${(rows.length - 1).toLocaleString("en")} rows copied.`);
  }
}

/** Tells something above the table. */
function notice(text) {
  const place = document.querySelector(".mr-notice");
  if (!place) return;
  place.textContent = text;
  place.hidden = !text;
}

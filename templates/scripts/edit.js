// The page that edits a network. Its editor is loaded where the site is served; elsewhere the page
// shows the command for the edits in its address.

const EDIT_OPTIONS = ["set", "remove", "insert", "repeat", "input"];

/** The port and the edits in the page's address, in their order. */
function editsOfAddress() {
  const query = [...new URLSearchParams(location.search)];
  const port = query.find(([key]) => key === "port")?.[1] ?? "";
  return { port, edits: query.filter(([key]) => EDIT_OPTIONS.includes(key)) };
}

/** A word of a command line, quoted where a shell would take it apart. */
const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`);

addEventListener("DOMContentLoaded", async () => {
  const editor = document.querySelector(".mr-edit");
  if (!editor) return;
  if (document.querySelector("meta[name=modeldocs-server]")) {
    for (const name of ["server.js", "edit.js", "edit-table.js", "edit-form.js", "edit-parts.js"]) await loadData(lateFile(name));
    return connectEditor(editor);
  }
  const { port, edits } = editsOfAddress();
  if (!port) return;
  const words = edits.map(([option, value]) => `--${option} ${shellWord(value)}`);
  const command = ["modeldocs edit", shellWord(port), ...words].join(" ") + editor.dataset.options;
  document.querySelector(".mr-unserved-command").append(commandLine(command));
});

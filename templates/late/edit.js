// The editor of a network: its edits, their history, and what the server makes of them.

/** The state of the editor: all that is shown follows from it. */
const editing = { port: "", edits: [], undone: [], done: [], network: undefined, selected: "", asked: 0 };

/** Asks the server for something of the port with its edits. */
async function askOfEdits(kind, more = {}) {
  const { server, port, edits } = editing;
  return (await askServer(server, "POST", kind, { port, edits, ...more })).json();
}

/** What a later edit of the same thing takes the place of: a setting, a count, a shape. */
const subjectOf = ([option, value]) =>
  ["set", "repeat", "input"].includes(option) ? `${option} ${value.slice(0, Math.max(value.lastIndexOf("="), 0))}` : undefined;

/** Adds edits to the list; a setting that was given before is given anew. */
function addEdits(added) {
  const edits = [...editing.edits];
  for (const edit of added) {
    const subject = subjectOf(edit);
    const place = subject ? edits.findIndex((one) => subjectOf(one) === subject) : -1;
    if (place >= 0) edits[place] = edit;
    else edits.push(edit);
  }
  return changeEdits(edits);
}

/** Makes a list of edits the present one; the one before it can be had back. */
function changeEdits(edits) {
  editing.done.push(editing.edits);
  editing.undone = [];
  editing.edits = edits;
  return showNetwork();
}

/** Goes back or forth in the history of the list. */
function travelEdits(from, to) {
  if (!from.length) return;
  to.push(editing.edits);
  editing.edits = from.pop();
  showNetwork();
}

/** Keeps port and edits in the page's address. */
function rememberEdits() {
  const query = [["port", editing.port], ...editing.edits].filter(([, value]) => value);
  const text = query.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%2C", ",")}`);
  showAddress(location.pathname + (text.length ? `?${text.join("&")}` : ""));
}

/** Asks for the network with its edits, and shows it; an answer that comes too late is dropped. */
async function showNetwork() {
  const { editor } = editing, asked = ++editing.asked;
  const [status, failure, place] = [".mr-edit-status", ".mr-edit-failure", ".mr-edit-network"].map((name) => editor.querySelector(name));
  rememberEdits();
  showHistory();
  if (!editing.port) {
    place.hidden = true;
    status.textContent = "Choose a port.";
    return;
  }
  status.textContent = editing.network ? "Computing…" : "Starting…";
  place.setAttribute("aria-busy", "true");
  try {
    const network = await askOfEdits("show");
    if (asked !== editing.asked) return;
    editing.network = network;
    failure.replaceChildren();
    place.hidden = false;
    showEdits();
    showTotals();
    showInputs();
    showTable();
    showForm();
    showParts();
    const refused = network.edits.filter((one) => one.failure).length;
    status.textContent = refused ? `${refused} of ${network.edits.length} edits cannot be applied.` : "";
  } catch (error) {
    if (asked !== editing.asked) return;
    status.textContent = "";
    failure.replaceChildren(failureBox(error));
  }
  place.removeAttribute("aria-busy");
}

/** Enables what the history allows. */
function showHistory() {
  const { editor, done, undone, edits } = editing;
  for (const [name, can] of [["undo", done.length], ["redo", undone.length], ["reset", edits.length]]) {
    editor.querySelector(`[data-act=${name}]`).disabled = !can;
  }
}

/** Shows the list of edits, each with why it cannot be applied, and the command for all. */
function showEdits() {
  const { editor, network } = editing, list = made("ol", {});
  network.edits.forEach(({ option, value, failure }, place) => {
    const drop = made("button", { type: "button", class: "mr-edit-drop", "aria-label": `Take back ${option} ${value}`, title: "Take back" }, "×");
    drop.addEventListener("click", () => changeEdits(editing.edits.filter((_, other) => other !== place)));
    const item = made("li", failure ? { class: "mr-edit-refused" } : {}, drop, " ", made("code", {}, `--${option} ${shellWord(value)}`));
    if (failure) item.append(made("span", { class: "mr-badge mr-edit-not" }, "not applied"), failureBox({ failure }));
    list.append(item);
  });
  const section = editor.querySelector(".mr-edit-list");
  if (!network.edits.length) return section.replaceChildren(made("p", { class: "mr-note" }, "Nothing is edited yet. Select a layer or a block in the table."));
  const command = commandLine(network.command + editor.dataset.options);
  return section.replaceChildren(list, ...(network.edits.some((one) => !one.failure) ? [command] : []));
}

/** Shows the totals of the network, with those of the port where they differ. */
function showTotals() {
  editing.editor.querySelector(".mr-edit-totals").replaceChildren(...editing.network.totals.map(({ name, before, after }) =>
    made("div", {}, made("dt", {}, name), made("dd", {}, ...changeOf(before, after)))));
}

/** A value, and the one that it was before. */
function changeOf(before, after) {
  if (before === undefined || before === after) return [after];
  return [made("del", {}, before || "none"), made("span", { class: "mr-hidden" }, " becomes "), " ", made("ins", {}, after || "none")];
}

/** Shows the shapes of the inputs, to be changed. */
function showInputs() {
  const form = editing.editor.querySelector(".mr-edit-inputs"), { inputs } = editing.network;
  form.replaceChildren(...inputs.map(({ name, before, after }) => {
    const field = made("input", { type: "text", value: after, name, inputmode: "numeric", pattern: "\\s*[0-9]+(\\s*,\\s*[0-9]+)*\\s*", title: "sizes separated by commas, the batch first", spellcheck: "false" });
    return made("label", { class: "mr-field" }, `Input ${name}`, field, ...(before === after ? [] : [made("small", {}, `was ${before}`)]));
  }), made("button", { class: "mr-button" }, "Change shapes"));
}

/** Connects the editor. */
function connectEditor(editor) {
  const port = editor.querySelector("select[name=port]");
  Object.assign(editing, editsOfAddress(), { editor, server: JSON.parse(document.querySelector("meta[name=modeldocs-server]").content) });
  document.querySelector(".mr-unserved").hidden = true;
  editor.hidden = false;
  port.value = editing.port;
  const named = () => {
    const [model, name] = editing.port.split("/");
    editor.querySelector(".mr-edit-page").href = `../models/${model}/ports/${name}/index.html`;
  };
  named();
  port.addEventListener("change", () => {
    Object.assign(editing, { port: port.value, edits: [], done: [], undone: [], selected: "" });
    named();
    showNetwork();
  });
  const acts = { undo: () => travelEdits(editing.done, editing.undone), redo: () => travelEdits(editing.undone, editing.done), reset: () => changeEdits([]) };
  for (const [name, act] of Object.entries(acts)) editor.querySelector(`[data-act=${name}]`).addEventListener("click", act);
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    acts[event.shiftKey ? "redo" : "undo"]();
  });
  const form = editor.querySelector(".mr-edit-inputs");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = [...form.querySelectorAll("input")].filter((field) => field.value.replace(/\s/g, "") !== field.defaultValue);
    if (fields.length) addEdits(fields.map((field) => ["input", `${field.name}=${field.value.replace(/\s/g, "")}`]));
  });
  connectTable();
  connectParts();
  showNetwork();
}

// The form of the editor for the layer or block that is selected: settings, removal, insertion.

const SETTING_PATTERNS = { whole: "\\s*-?[0-9]+\\s*", wholes: "\\s*-?[0-9]+(\\s*,\\s*-?[0-9]+)*\\s*", number: "\\s*[\\-+0-9.eE]+\\s*" };
const SETTING_HINTS = { whole: "a whole number", wholes: "whole numbers separated by commas; one is that of each axis", number: "a number", pads: "top, left, bottom, right; one number is that of all sides" };

/** The control of a setting, with its label. */
function settingField({ name, kind, value = "", choices = [] }) {
  const options = kind === "switch" ? ["0", "1"] : choices;
  const control = options.length
    ? made("select", { name, "aria-label": name }, ...options.map((one) => made("option", { value: one, ...(one === value && { selected: "" }) }, one)))
    : made("input", { type: "text", name, value, spellcheck: "false", autocapitalize: "off", autocomplete: "off", ...(SETTING_PATTERNS[kind] && { pattern: SETTING_PATTERNS[kind], title: SETTING_HINTS[name] ?? SETTING_HINTS[kind] }), ...(kind.startsWith("whole") && { inputmode: "numeric" }) });
  control.dataset.before = value;
  return made("label", { class: "mr-field" }, name, control);
}

/** The settings of a form that are others than before, with their values. */
const changedSettings = (form) => [...form.querySelectorAll("[data-before]")]
  .map((control) => [control.name, control.value.replace(/\s/g, ""), control.dataset.before])
  .filter(([, value, before]) => value && value !== before);

/** A form with a heading, fields and a button; `act` is called when it is submitted. */
function editForm(heading, fields, button, act) {
  const form = made("form", { autocomplete: "off" }, made("h3", {}, heading), made("div", { class: "mr-edit-fields" }, ...fields), made("button", { class: "mr-button mr-go" }, button));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act(form);
  });
  return form;
}

/** The form that gives a layer other settings. */
function settingsForm(row) {
  if (!row.settings?.length) return made("p", { class: "mr-note" }, "It has no settings.");
  return editForm("Settings", row.settings.map(settingField), "Set", (form) => {
    const changed = changedSettings(form);
    if (changed.length) addEdits(changed.map(([name, value]) => ["set", `${row.edit}.${name}=${value}`]));
  });
}

/** The form that gives a repeat another number of instances. */
function repeatForm(row) {
  const count = made("input", { type: "number", min: 1, max: 200, name: "count", value: row.count, required: "" });
  const form = editForm("Repeat", [made("label", { class: "mr-field" }, "Number of instances", count)], "Repeat", () => {
    if (Number(count.value) !== row.count) addEdits([["repeat", `${row.edit}=${count.value}`]]);
  });
  return form;
}

/** The form that puts a layer in; `rank` is the number of axes of what it reads. */
function insertForm(name, rank) {
  const fitting = editing.network.operators.filter((one) => one.axes <= rank);
  const families = fitting.reduce((all, one) => all.set(one.family, [...(all.get(one.family) ?? []), one]), new Map());
  const choice = made("select", { name: "operator", "aria-label": "Operator" }, made("option", { value: "" }, "choose…"),
    ...[...families].map(([family, list]) => made("optgroup", { label: family }, ...list.map((one) => made("option", {}, one.operator)))));
  choice.required = true;
  const fields = made("div", { class: "mr-edit-fields" });
  choice.addEventListener("change", () => {
    const chosen = editing.network.operators.find((one) => one.operator === choice.value);
    fields.replaceChildren(...(chosen ? [...chosen.settings.map(settingField), made("label", { class: "mr-field" }, "name", made("input", { type: "text", name: "own-name", placeholder: "optional", pattern: "[^:=\\s]+", title: "without spaces, colons and equals signs", spellcheck: "false" }))] : []));
  });
  return editForm("Insert after it", [made("label", { class: "mr-field mr-edit-wide" }, "Operator", choice), fields], "Insert", (form) => {
    const given = changedSettings(fields).map(([key, value]) => `:${key}=${value}`).join("");
    const own = form.elements["own-name"]?.value.trim();
    addEdits([["insert", `after=${name}:${choice.value}${given}${own ? `:name=${own}` : ""}`]]);
  });
}

/** The number of axes of what the last layer of a row gives. */
function rankOf(row) {
  if (row.row === "layer") return row.shown.rank ?? 0;
  const { rows } = editing.network;
  const layers = rows.slice(rows.indexOf(row) + 1).filter((one) => one.row === "layer" && one.state !== "gone");
  return layers[row.layers - 1]?.shown.rank ?? 0;
}

/** Shows the form of what is selected. */
function showForm() {
  const { editor, network, selected } = editing;
  const place = editor.querySelector(".mr-edit-form");
  const row = network.rows.find((one) => one.id === selected && one.state !== "gone");
  if (!row) {
    editing.selected = "";
    return place.replaceChildren(made("p", { class: "mr-note" }, "Select a layer or a block to edit it."));
  }
  const isGroup = row.row === "group";
  const close = made("button", { type: "button", class: "mr-button mr-edit-close", "aria-label": "Close" }, "×");
  close.addEventListener("click", () => selectEdited(""));
  const told = isGroup ? `${row.kind}, ${row.layers} layers` : [row.shown.operator, row.id, row.place].filter(Boolean).join(", ");
  const head = [close, made("h2", {}, isGroup ? row.title : row.shown.name), made("p", { class: "mr-note" }, told)];
  if (!row.edit) return place.replaceChildren(...head, made("p", {}, "The port has nothing like this, so that edits cannot name it. Edit its layers one by one."));
  const remove = made("button", { type: "button", class: "mr-button mr-edit-remove" }, isGroup ? "Remove the block" : "Remove the layer");
  remove.addEventListener("click", () => addEdits([["remove", row.edit]]));
  const parts = isGroup ? (row.count ? [repeatForm(row)] : []) : [settingsForm(row)];
  return place.replaceChildren(...head, ...parts, insertForm(row.edit, rankOf(row)), remove);
}

// What is made of an edited network: its difference from the port, its code, a port of the catalog.

/** A part of the page below the table, and the place of its content. */
const editPart = (name) => editing.editor.querySelector(`[data-part=${name}]`);
const partPlace = (name) => editPart(name).querySelector("div");

/** Shows what was asked for, a failure, or that it is being computed. */
async function fillPart(place, waiting, fill) {
  const edits = JSON.stringify(editing.edits);
  place.replaceChildren(made("p", { class: "mr-note", role: "status" }, waiting));
  try {
    const content = await fill();
    if (edits === JSON.stringify(editing.edits)) place.replaceChildren(...content);
  } catch (error) {
    if (edits === JSON.stringify(editing.edits)) place.replaceChildren(failureBox(error));
  }
}

/** Shows the difference from the port, as `modeldocs edit --html` writes it. */
function showReport() {
  const place = partPlace("report");
  if (!editing.edits.length) return place.replaceChildren(made("p", { class: "mr-note" }, "Nothing is edited yet."));
  return fillPart(place, "Comparing, and drawing both…", async () => {
    const { report } = await askOfEdits("report");
    const name = `${editing.port}-edited`.replace(/[^\w.-]+/g, "-");
    return [
      made("p", { class: "mr-compare-run" }, made("a", { class: "mr-button", href: report, target: "_blank" }, "Open in a tab of its own"), " ",
        made("a", { class: "mr-button", href: report, download: `${name}.html` }, "Save the report")),
      made("iframe", { src: report, sandbox: "allow-scripts", title: `${editing.port} against the edited network` }),
    ];
  });
}

/** Shows the network as a program of a target. */
function showProgram(target, place) {
  return fillPart(place, `Writing it in ${target.title}…`, async () => {
    const { code, content, file } = await askOfEdits("program", { target: target.name });
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    const copy = made("button", { type: "button", class: "mr-button" }, "Copy the code");
    copy.addEventListener("click", async () => { await copyText(code); copy.textContent = "Copied"; });
    const save = made("a", { class: "mr-button", download: file, href: URL.createObjectURL(new Blob([bytes])) }, `Download ${file}`);
    const proving = commandLine(`${editing.network.command} --to ${target.name} -o ${file}${editing.editor.dataset.options}`);
    return [
      made("p", { class: "mr-edit-unproven" }, made("strong", {}, "Not proven."), " This program was written, and has not been run. This command writes and proves it, where its framework is installed and can be proven:"),
      proving,
      ...(target.name === "onnx" ? [made("p", { class: "mr-note" }, "The model has no weights: it names the file weights.bin for them, which there is none of.")] : []),
      made("p", { class: "mr-compare-run" }, copy, " ", save),
      made("pre", { class: "mr-edit-code", tabindex: "0", "aria-label": `Program in ${target.title}` }, made("code", {}, code)),
    ];
  });
}

/** Shows the choice of a target. */
function showCode() {
  const program = made("div", { class: "mr-edit-program" });
  const buttons = editing.network.targets.map((target) => {
    const button = made("button", { type: "button", class: "mr-button", "aria-pressed": "false" }, target.title);
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", other === button);
      showProgram(target, program);
    });
    return button;
  });
  partPlace("code").replaceChildren(made("p", { class: "mr-compare-run", role: "group", "aria-label": "Write it in" }, ...buttons), program);
}

/** Asks for consent to write a file, by its name, and writes it. */
function confirmSave(wanted, file, place) {
  const write = made("button", { type: "button", class: "mr-button mr-go" }, `Write ${file}`);
  const cancel = made("button", { type: "button", class: "mr-button" }, "Cancel");
  cancel.addEventListener("click", () => place.replaceChildren());
  write.addEventListener("click", () => fillPart(place, `Writing ${file}…`, async () => {
    await askOfEdits("save", { ...wanted, consent: file });
    sessionStorage.setItem("mr-edit-saved", JSON.stringify([editing.port, file, wanted.name]));
    return [savedNote(editing.port, file, wanted.name)];
  }));
  place.replaceChildren(made("div", { class: "mr-edit-confirm", role: "alertdialog", "aria-label": "Confirm" },
    made("p", {}, "This writes the new file ", made("code", {}, file), " into the catalog. It is a program that has not been proven; the site is then built again, and runs it to load it as a port."),
    made("p", { class: "mr-compare-run" }, write, " ", cancel)));
  write.focus();
}

/** What is told of a file that was written. */
function savedNote(port, file, name) {
  const page = `../models/${port.split("/")[0]}/ports/${name}/index.html`;
  return made("p", { class: "mr-edit-saved", role: "status" }, made("code", {}, file), " is written. As soon as the site is built again, it has ", made("a", { href: page }, "a page of the port"), ".");
}

/** Shows the form that saves the network as a port. */
function showSave() {
  const { network, server } = editing;
  if (!editing.edits.length) return partPlace("save").replaceChildren(made("p", { class: "mr-note" }, "Nothing is edited yet."));
  const targets = server.saves.map((name) => network.targets.find((one) => one.name === name)).filter(Boolean);
  const target = made("select", { name: "target" }, ...targets.map((one) => made("option", { value: one.name }, one.title)));
  const name = made("input", { type: "text", name: "name", required: "", pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]{0,63}", title: "letters, digits, _ and -", placeholder: "wide", spellcheck: "false", autocapitalize: "off" });
  const answer = made("div", {});
  const form = editForm(`A new port of ${editing.port.split("/")[0]}`, [made("label", { class: "mr-field" }, "Framework", target), made("label", { class: "mr-field" }, "Name of the port", name)], "Save…", async () => {
    const wanted = { target: target.value, name: name.value };
    try {
      confirmSave(wanted, (await askOfEdits("save", wanted)).file, answer);
    } catch (error) {
      answer.replaceChildren(failureBox(error));
    }
  });
  partPlace("save").replaceChildren(form, answer);
}

/** Shows anew the parts that are open; a part that is closed is filled when it is opened. */
function showParts() {
  const show = { report: showReport, code: showCode, save: showSave };
  for (const [name, fill] of Object.entries(show)) {
    if (editPart(name).open) fill();
    else partPlace(name).replaceChildren();
  }
}

/** Connects the parts. */
function connectParts() {
  for (const [name, fill] of [["report", showReport], ["code", showCode], ["save", showSave]]) {
    editPart(name).addEventListener("toggle", () => { if (editPart(name).open && !partPlace(name).hasChildNodes()) fill(); });
  }
  const saved = JSON.parse(sessionStorage.getItem("mr-edit-saved") ?? "null");
  sessionStorage.removeItem("mr-edit-saved");
  if (saved) editing.editor.querySelector(".mr-edit-failure").before(savedNote(...saved));
}

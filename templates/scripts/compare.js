// The pickers of any two ports: the page of their pair where there is one, else the command.

/** An element with attributes and content. */
function made(name, attributes, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

/** Shows the options of a picker that contain all words of a text; the choice stays. */
function filterPicker(select, groups, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = groups.map(([group, options]) =>
    [group, options.filter((option) => words.every((word) => option.dataset.text.includes(word)))]);
  for (const [group, options] of matching) group.replaceChildren(...options);
  select.replaceChildren(...matching.filter(([, options]) => options.length).map(([group]) => group));
  select.value = select.closest("fieldset").dataset.port ?? "";
}

/** Makes a port the choice of a side; an unknown name is told. */
function choosePort(side, options, name) {
  const known = options.find((option) => option.value === name && !option.disabled);
  if (known) side.dataset.port = name;
  else delete side.dataset.port;
  side.querySelector("select").value = known ? name : "";
  side.querySelector("output").textContent = known ? name : name ? `there is no port ${name}` : "nothing chosen";
}

/** Connects the picker of a side: filtering, the keys Enter and Down, choosing. */
function connectPicker(side, changed) {
  const [select, find] = [side.querySelector("select"), side.querySelector("input[type=search]")];
  const groups = [...select.children].map((group) => [group, [...group.children]]);
  const options = groups.flatMap(([, inner]) => inner);
  choosePort(side, options, new URLSearchParams(location.search).get(side.dataset.side) ?? "");
  select.addEventListener("change", () => { choosePort(side, options, select.value); changed(); });
  find.addEventListener("input", () => filterPicker(select, groups, find.value));
  find.addEventListener("keydown", (event) => {
    const first = select.querySelector("option:not(:disabled)");
    if (event.key === "ArrowDown") select.focus();
    else if (event.key !== "Enter") return;
    else if (first) { choosePort(side, options, first.value); changed(); }
    event.preventDefault();
  });
}

/** A paragraph with the command that compares two ports, and a button that copies it. */
function commandLine(command) {
  const code = made("code", {}, command);
  const button = made("button", { type: "button", class: "mr-button" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected: copy with Ctrl+C";
    }
  });
  return made("p", { class: "mr-command" }, code, " ", button);
}

/** The answer for two ports: a link to their page, else how to compare them. */
function answerFor(a, b, form) {
  const pair = [...document.querySelectorAll(".mr-pair-links a[data-a]")].find(({ dataset }) =>
    (dataset.a === a && dataset.b === b) || (dataset.a === b && dataset.b === a));
  if (!pair) {
    const text = "There is no page for this pair. This command compares the two layer by layer and writes a report:";
    return [made("p", {}, text), commandLine(`modeldocs diff ${a} ${b} --html report.html${form.dataset.options}`), architecturesOf([a, b], form)];
  }
  const badge = made("span", { class: `mr-badge mr-verdict-${pair.dataset.step}` }, pair.dataset.word);
  const link = made("a", { class: "mr-button mr-go", href: pair.getAttribute("href") }, "Open the comparison");
  const swapped = pair.dataset.a === b ? ` There, A is ${b} and B is ${a}.` : "";
  return [made("p", {}, link, " ", badge, swapped && made("span", { class: "mr-note" }, swapped))];
}

/** A place in which two ports are compared as architectures, as soon as their data are loaded. */
function architecturesOf(names, form) {
  const place = made("div", { class: "mr-architectures-of" });
  const files = names.map((name) => [...form.querySelectorAll("option")].find((option) => option.value === name).dataset.architecture);
  (async () => {
    const data = [];
    for (const file of files) data.push(await loadData(file));
    place.append(...(await loadData(lateFile("architectures.js")))(data, names));
  })().catch(() => {}); // a port of the two has no drawing
  return place;
}

/** Keeps the choice in the page's address. */
function rememberPorts(ports) {
  const query = Object.entries(ports).filter(([, port]) => port).map(([side, port]) => `${side}=${encodeURI(port)}`).join("&");
  try {
    showAddress(location.pathname + (query && `?${query}`) + location.hash);
  } catch { /* a browser that allows no other address for a file */ }
}

/** Keeps the browser on the page when a file is dropped on it: by default it would open the file. */
function keepDropsOnPage() {
  for (const kind of ["dragover", "drop"]) {
    addEventListener(kind, (event) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    });
  }
}

/** Connects the form of the page; listeners of `mr-choice` may add to its answer. */
function connectCompare(form) {
  const [a, b] = form.querySelectorAll(".mr-side");
  const box = form.querySelector(".mr-picked");
  const changed = () => {
    const ports = { a: a.dataset.port ?? "", b: b.dataset.port ?? "" };
    const files = [a, b].some((side) => "file" in side.dataset);
    rememberPorts(ports);
    if (files) box.replaceChildren();
    else if (!ports.a || !ports.b) box.replaceChildren(made("p", { class: "mr-note" }, "Choose a port on each side."));
    else if (ports.a === ports.b) box.replaceChildren(made("p", { class: "mr-note" }, "Choose two different ports."));
    else box.replaceChildren(...answerFor(ports.a, ports.b, form));
    form.dispatchEvent(new CustomEvent("mr-choice"));
  };
  keepDropsOnPage();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("mr-changed", changed);
  form.hidden = false;
  for (const side of [a, b]) {
    connectPicker(side, changed);
    const chosen = side.querySelector("option:checked");
    if (chosen) centre(side.querySelector("select"), chosen);
  }
  changed();
}

document.querySelectorAll(".mr-compare").forEach(connectCompare);
addEventListener("DOMContentLoaded", async () => {
  if (!document.querySelector(".mr-compare") || !document.querySelector("meta[name=modeldocs-server]")) return;
  for (const name of ["server.js", "compare-files.js"]) await loadData(lateFile(name));
});

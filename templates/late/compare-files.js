// Files of one's own, compared by the server of `modeldocs serve`. Other servers have no such form.

/** Sends a file, and tells how much of it has been sent, from 0 to 1. */
function sendFile(server, path, file, sent, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `api/${path}`);
    request.setRequestHeader("X-Modeldocs-Token", server.token);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => sent(event.loaded / file.size);
    request.onload = () => {
      if (request.status < 300) return resolve();
      let failure;
      try { failure = JSON.parse(request.responseText).failure; } catch { /* not ours */ }
      reject(Object.assign(new Error(failure?.reason ?? `the server answered ${request.status}`), { failure }));
    };
    request.onerror = () => reject(new Error("the file could not be sent: is the server still running?"));
    request.onabort = () => reject(new DOMException("cancelled", "AbortError"));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

/** Whether loading a file may run code, as the server decides it. */
function runsCode(server, name, framework) {
  const suffix = name.toLowerCase().match(/[^/\\]\.[^./\\]*$/)?.[0].slice(1) ?? "";
  const kinds = framework ? [server.data[framework] ?? []] : Object.values(server.data);
  return !kinds.some((suffixes) => suffixes.includes(suffix));
}

/** What a side of the form asks for, as the server reads it. */
function sideOf(side) {
  if (!("file" in side.dataset)) return { port: side.dataset.port ?? "" };
  const field = (name) => side.querySelector(`[data-field=${name}]`);
  const file = side.querySelector("input[type=file]").files[0];
  return {
    file: file?.name ?? "", bytes: file?.size ?? 0, trusted: field("trusted").checked,
    framework: field("framework").value, callable: field("callable").value.trim(),
    args: field("args").value.trim(), inputs: field("inputs").value.split("\n").map((line) => line.trim()).filter(Boolean),
  };
}

/** Lets a side of the form take a file in place of a port. */
function addFileChoice(form, side, server) {
  const parts = document.getElementById("mr-own-file").content.cloneNode(true);
  const [ofFile, ofCatalog] = [parts.querySelector(".mr-of-file"), side.querySelector(".mr-of-catalog")];
  const [file, drop] = [ofFile.querySelector("input[type=file]"), ofFile.querySelector(".mr-drop")];
  const chosen = side.querySelector(".mr-chosen");
  const takesFile = parts.querySelector("input[type=radio][value=file]");
  const changed = () => form.dispatchEvent(new CustomEvent("mr-changed"));
  for (const radio of parts.querySelectorAll("input[type=radio]")) {
    radio.name = `source-${side.dataset.side}`;
    radio.addEventListener("change", () => {
      const isFile = radio.value === "file";
      [ofFile.hidden, ofCatalog.hidden, chosen.hidden] = [!isFile, isFile, isFile];
      if (isFile) side.dataset.file = "";
      else delete side.dataset.file;
      changed();
    });
  }
  const described = () => {
    const one = file.files[0];
    const name = one ? `${one.name} (${one.size.toLocaleString("en")} bytes)` : "Drop a file here, or choose one";
    ofFile.querySelector(".mr-drop-name").textContent = name;
    const framework = ofFile.querySelector("[data-field=framework]").value;
    ofFile.querySelector(".mr-trust").hidden = !one || !runsCode(server, one.name, framework);
    changed();
  };
  file.addEventListener("change", () => {
    ofFile.querySelector("[data-field=trusted]").checked = false;
    described();
  });
  ofFile.addEventListener("change", described);
  // A file may be dropped anywhere on a side, which then compares it in place of a port.
  for (const kind of ["dragover", "dragleave", "drop"]) {
    side.addEventListener(kind, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      for (const place of [side, drop]) place.classList.toggle("mr-over", kind === "dragover");
      if (kind !== "drop" || !event.dataTransfer.files.length) return;
      if (!takesFile.checked) takesFile.click();
      file.files = event.dataTransfer.files;
      file.dispatchEvent(new Event("change"));
    });
  }
  side.querySelector("legend").after(parts);
}

/** Text that the two sources printed, folded away. */
function printedBox(printed) {
  return (printed ?? []).filter((one) => one.text).map((one) =>
    made("details", {}, made("summary", {}, `Printed by ${one.name}`), made("pre", { class: "mr-printed" }, one.text)));
}

/** The result of a comparison: its verdict, the report in a frame, and both files to save. */
function resultOf(id, told) {
  const [report, diff] = [`reports/${id}/report.html`, `reports/${id}/diff.json`];
  const name = told.names.map((one) => one.replace(/[^\w.-]+/g, "-")).join("-vs-");
  return [
    made("p", { class: "mr-compare-run" },
      made("span", { class: `mr-badge mr-verdict-${told.step}` }, told.word), " ",
      made("a", { class: "mr-button", href: report, target: "_blank" }, "Open in a tab of its own"), " ",
      made("a", { class: "mr-button", href: report, download: `${name}.html` }, "Save the report"), " ",
      made("a", { class: "mr-button", href: diff, download: `${name}.json` }, "Save the diff as JSON")),
    made("iframe", { src: report, sandbox: "allow-scripts", title: `${told.names[0]} against ${told.names[1]}` }),
    ...printedBox(told.printed),
  ];
}

/** Waits for the end of a comparison, and shows each of its stages. */
async function followed(server, id, show, signal) {
  for (;;) {
    signal.throwIfAborted();
    const told = await (await askServer(server, "GET", `jobs/${id}`)).json();
    if (told.failure) throw Object.assign(new Error(told.failure.reason), { failure: told.failure, printed: told.printed });
    if (told.stage === "done") return told;
    show(told.stage, undefined, `${Math.round(told.seconds)} s`);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
}

/** Sends the files of both sides that are files. */
async function sendFiles(form, server, id, show, signal) {
  for (const side of form.querySelectorAll(".mr-side")) {
    const file = "file" in side.dataset && side.querySelector("input[type=file]").files[0];
    const sent = (part) => show(`sending ${file.name}`, part);
    if (file) await sendFile(server, `jobs/${id}/${side.dataset.side}`, file, sent, signal);
  }
}

/** What is chosen, as text that is another for every other choice. */
function choiceOf(form) {
  const files = [...form.querySelectorAll(".mr-side[data-file] input[type=file]")];
  const stamps = files.map(({ files: [file] }) => file && [file.name, file.size, file.lastModified]);
  return JSON.stringify([[...form.querySelectorAll(".mr-side")].map(sideOf), stamps]);
}

/** Marks a report that is not of what is chosen now. */
function markOutdated(form, place) {
  const outdated = Boolean(place.dataset.choice) && place.dataset.choice !== choiceOf(form);
  place.classList.toggle("mr-outdated", outdated);
  place.querySelector(".mr-job-outdated").hidden = !outdated;
}

/** Runs one comparison, from sending files to its report. */
async function runComparison(form, server, place, signal) {
  const [line, time, bar, answer] = [".mr-job-stage", ".mr-job-time", "progress", ".mr-job-answer"].map((name) => place.querySelector(name));
  const show = (text, part, elapsed = "") => {
    if (line.textContent !== text) line.textContent = text; // read aloud when it changes
    time.textContent = elapsed;
    if (part === undefined) bar.removeAttribute("value");
    else bar.value = part;
  };
  const [a, b] = [...form.querySelectorAll(".mr-side")].map(sideOf);
  const parity = form.querySelector("[name=parity]").checked;
  let id;
  answer.replaceChildren();
  place.dataset.choice = choiceOf(form);
  markOutdated(form, place);
  [place.hidden, place.querySelector(".mr-job-bar").hidden] = [false, false];
  try {
    show("starting");
    place.scrollIntoView({ block: "nearest" });
    id = (await (await askServer(server, "POST", "jobs", { a, b, parity })).json()).id;
    await sendFiles(form, server, id, show, signal);
    const told = await followed(server, id, show, signal);
    answer.replaceChildren(...resultOf(id, told));
    show(`${told.names[0]} against ${told.names[1]}`);
    place.scrollIntoView({ block: "start" });
  } catch (error) {
    show(signal.aborted ? "Cancelled." : "The two could not be compared.");
    if (!signal.aborted) answer.replaceChildren(failureBox(error), ...printedBox(error.printed));
    if (id) askServer(server, "DELETE", `jobs/${id}`).catch(() => {});
  }
  place.querySelector(".mr-job-bar").hidden = true;
}

/** Adds to the form what only this server can do: files, and comparisons at once. */
function connectServer(form, server) {
  const place = document.querySelector(".mr-job");
  const run = document.getElementById("mr-own-run").content.cloneNode(true).firstElementChild;
  const go = run.querySelector("button");
  let running;
  for (const side of form.querySelectorAll(".mr-side")) addFileChoice(form, side, server);
  form.addEventListener("mr-choice", () => {
    const [a, b] = [...form.querySelectorAll(".mr-side")].map(sideOf);
    const ready = [a, b].every((one) => one.port || one.file) && !(a.port && a.port === b.port);
    const paged = form.querySelector(".mr-picked a.mr-go");
    if (ready && !paged) form.querySelector(".mr-picked").append(run);
    else run.remove();
    if (!ready && (a.file !== undefined || b.file !== undefined)) {
      form.querySelector(".mr-picked").append(made("p", { class: "mr-note" }, "Choose a port or a file on each side."));
    }
    markOutdated(form, place);
    const trust = [...form.querySelectorAll(".mr-side[data-file] .mr-trust:not([hidden]) input")];
    go.disabled = Boolean(running) || trust.some((box) => !box.checked);
  });
  go.addEventListener("click", async () => {
    running = new AbortController();
    go.disabled = true;
    await runComparison(form, server, place, running.signal);
    running = undefined;
    form.dispatchEvent(new CustomEvent("mr-changed"));
  });
  place.querySelector(".mr-cancel").addEventListener("click", () => running?.abort());
  addEventListener("pagehide", () => running?.abort());
  form.dispatchEvent(new CustomEvent("mr-changed"));
}

const ownServer = document.querySelector("meta[name=modeldocs-server]");
document.querySelectorAll(".mr-compare").forEach((form) => connectServer(form, JSON.parse(ownServer.content)));

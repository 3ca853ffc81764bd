// The selected layer in a card at the bottom of the window, and the keys that walk from it.

/** The layer's card, made when it is first needed. */
function cardElement() {
  const present = document.querySelector(".mr-card");
  if (present) return present;
  const card = document.createElement("aside");
  card.className = "mr-card";
  card.setAttribute("aria-label", "Selected layer");
  card.addEventListener("click", (event) => {
    const place = event.target.closest("button")?.dataset.go;
    if (place === "close") leaveLayer();
    else if (place) goToPlace(place);
  });
  document.querySelector("article").append(card);
  return card;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function goButton(place, text) {
  const button = element("button", { type: "button", textContent: text });
  button.dataset.go = place;
  return button;
}

/** Links to layers, with the names of inputs as text. */
function layerLinks(ids) {
  const { byId } = stateOf(layersTable());
  return ids.flatMap((id, index) => {
    const row = byId.get(id);
    const link = row
      ? element("a", { href: `#${id}`, textContent: nameOf(row) })
      : selection.inputs.get(id) ?? id;
    return index ? [", ", link] : [link];
  });
}

/** Ids, at most so many, and how many there are besides. */
function someLinks(ids, most = 6) {
  const links = layerLinks(ids.slice(0, most));
  return ids.length > most ? [...links, ` and ${ids.length - most} more`] : links;
}

/** Shows what a layer is: operator, settings, shape, cost, source, and its neighbours. */
function showCard(row) {
  const table = layersTable(), card = cardElement();
  const cell = (key) => row.cells[columnOf(table, key)];
  const text = (key, unit) => (cell(key)?.textContent.trim() ? ` · ${cell(key).textContent.trim()} ${unit}` : "");
  const head = element("p", { className: "mr-card-head" },
    cell("operator").firstElementChild.cloneNode(true), " ",
    element("strong", { textContent: nameOf(row) }), " ",
    element("span", { textContent: cell("settings").textContent }),
    element("span", { textContent: ` → ${cell("output").textContent}${text("parameters", "parameters")}${text("macs", "MACs")}` }));
  head.setAttribute("aria-live", "polite");
  const line = document.querySelector(".mr-marked-line");
  const source = cell("source").cloneNode(true).childNodes;
  const origin = element("p", { className: "mr-card-source" }, ...source, line ? " " : "",
    ...(line ? [element("code", { textContent: line.textContent.trim().slice(0, 160) })] : []));
  const [, , boxed] = stateOf(table).data.rows[stateOf(table).natural.indexOf(row)];
  if (boxed) origin.append(" Of equal groups the first is drawn: its layer there is ", ...layerLinks([boxed]), ".");
  const readers = selection.readers.get(row.id) ?? [];
  const near = element("p", {}, "↑ reads ", ...someLinks([...new Set(readsOf(row))]), " · ↓ read by ",
    ...(readers.length ? someLinks(readers) : ["none"]));
  const keys = element("p", { className: "mr-card-keys", textContent: "Keys: ↑ ↓ to what it reads and what reads it, ← → between those, Esc to leave." });
  const buttons = element("p", { className: "mr-card-buttons" },
    ...(document.querySelector(".mr-overview") ? [goButton("diagram", "Diagram"), " "] : []),
    goButton("row", "Row"), " ", ...(line ? [goButton("source", "Source"), " "] : []), goButton("close", "Close"));
  card.replaceChildren(buttons, head, origin, near, keys);
  card.hidden = false;
  document.body.classList.add("mr-has-card");
}

function hideCard() {
  document.querySelector(".mr-card")?.setAttribute("hidden", "");
  document.body.classList.remove("mr-has-card");
}

/** Scrolls the page to the diagram, the row or the source of the selected layer. */
function goToPlace(place) {
  const target = {
    diagram: () => document.querySelector(".mr-lit") ?? document.querySelector(".mr-overview"),
    row: () => layersTable().closest(".mr-tall"),
    source: () => document.querySelector(".mr-marked-line"),
  }[place]();
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  target?.scrollIntoView({ block: place === "row" ? "start" : "center" });
}

/** Leaves the selected layer, in the address too. */
function leaveLayer() {
  const values = new URLSearchParams(location.search);
  values.delete("layer");
  showAddress(values.size ? `?${values}` : location.pathname, true);
  selection.followed = "";
  clearSelection();
}

/** The layer that a key leads to from the selected one. */
function neighbour(key) {
  const { byId, selected } = stateOf(layersTable());
  const readers = (id) => selection.readers.get(id) ?? [];
  const isLayer = (id) => byId.has(id);
  const [producer] = readsOf(selected), [consumer] = readers(selected.id);
  if (key === "ArrowUp") return readsOf(selected).find(isLayer);
  if (key === "ArrowDown") return consumer;
  const beside = [readers(producer), consumer ? readsOf(byId.get(consumer)).filter(isLayer) : []].find((ids) => ids.length > 1) ?? [];
  const step = key === "ArrowLeft" ? -1 : 1;
  return beside[beside.indexOf(selected.id) + step];
}

/** Moves the focus to the row after or before the one that has it. */
function stepRow(row, key) {
  const next = key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling;
  next?.querySelector("th a, th button")?.focus();
}

/** Keys: `/` to the filter of layers and Enter from it, arrows along edges or rows, Escape. */
function followKey(event) {
  const table = layersTable();
  if (!table || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
  const field = stateOf(table).form?.elements.text;
  if (event.key === "/" && !typing && field) {
    take(event);
    field.focus();
    field.scrollIntoView({ block: "nearest" });
  } else if (event.key === "Escape" && typing && typing === field) {
    take(event);
    table.closest(".mr-tall").focus();
  } else if (event.key === "Enter" && typing === field && field) {
    const row = table.tBodies[0].querySelector("tr[id]");
    if (row) loadSelection(table).then(() => goTo(row));
  } else if (event.key === "Escape" && !typing && selection.id) {
    take(event);
    leaveLayer();
  } else if (/^Arrow/.test(event.key) && !typing && selection.id) {
    if (!event.target.closest?.(".mr-overview, .mr-tall, .mr-card") && event.target !== document.body) return;
    take(event);
    const id = neighbour(event.key);
    if (id) goTo(stateOf(table).byId.get(id), { replace: true });
  } else if (/^Arrow(Up|Down)$/.test(event.key) && event.target.closest?.("#layers-table tbody tr")) {
    take(event);
    stepRow(event.target.closest("tr"), event.key);
  }
}

/** Keeps a key from the browser and from the theme, which opens its search with `/`. */
function take(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

addEventListener("keydown", followKey, { capture: true });

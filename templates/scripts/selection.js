// What the address names: a level of the diagram, a layer, or another element of the page.

/** The layer that is selected, the layers that read each layer, and the names of inputs. */
const selection = { id: "", readers: new Map(), inputs: new Map(), followed: null };

/** Scrolls a frame, not the page, so that an element inside it is in its middle. */
function centre(frame, element) {
  const [outer, inner] = [frame.getBoundingClientRect(), element.getBoundingClientRect()];
  frame.scrollBy(
    inner.x - outer.x - (outer.width - inner.width) / 2,
    inner.y - outer.y - (outer.height - inner.height) / 2,
  );
}

/** Highlights an element alone among those of a class. */
function highlight(className, elements) {
  document.querySelectorAll(`.${className}`).forEach((lit) => lit.classList.remove(className));
  elements.forEach((element) => element.classList.add(className));
}

/** Scrolls to the element that the address names, and to its layer in the diagram. */
function followElement(id) {
  const target = id && document.getElementById(id);
  if (!target) return;
  for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  (target.closest("tr") ?? target).hidden = false;
  const frame = target.closest(".mr-tall, .mr-diagram-frame");
  if (!frame) {
    if (target.closest(".mr-source")) target.scrollIntoView({ block: "center" });
    return;
  }
  frame.scrollIntoView({ block: "start" });
  if (frame.matches(".mr-tall")) {
    target.scrollIntoView({ block: "nearest" });
    frame.scrollTop += target.getBoundingClientRect().y - frame.getBoundingClientRect().y - frame.clientHeight / 2;
  }
  const box = document.getElementById(`a_r-${id}`) ?? target;
  if (box.closest(".mr-diagram")) {
    highlight("mr-lit", [box]);
    centre(box.closest(".mr-diagram-frame"), box);
  }
}

/** Ids of layers end in their number among those of the operator. */
const isLayerId = (id) => /^[\w.:-]+-\d+$/.test(id) && !/^(source|input|output|change)-/.test(id);

/** Loads the layers of the page, and who reads whom, once. */
async function loadSelection(table) {
  const data = await loadLayers(table);
  if (selection.readers.size) return;
  selection.inputs = new Map(data.inputs);
  for (const row of stateOf(table).natural) {
    for (const id of new Set(readsOf(row))) {
      selection.readers.set(id, [...(selection.readers.get(id) ?? []), row.id]);
    }
  }
}

/** Ids of the layers and inputs that a layer reads. */
const readsOf = (row) => (row.dataset.reads ?? "").split(" ").filter(Boolean);

/** The name of the layer of a row. */
const nameOf = (row) => row.cells[1].textContent.trim();

/**
 * The row that a link means. It has an id, which does not change with names, and a name, which does
 * not change when layers are added elsewhere: where both are there but apart, the name decides.
 */
function rowOfLink(rows, byId, id, name) {
  const row = byId.get(id);
  if (!name || (row && nameOf(row) === name)) {
    return row ? { row, remark: "" } : nearestRow(rows, id);
  }
  const named = rows.filter((one) => nameOf(one) === name);
  if (named.length === 1 && operatorOf(named[0].id) === operatorOf(id)) {
    return { row: named[0], remark: `Layers were added or removed before ${name} since this link was made.` };
  }
  if (row) return { row, remark: `This link was made for a layer named ${name}; ${id} is now ${nameOf(row)}.` };
  return nearestRow(rows, id, name);
}

const operatorOf = (id) => id.replace(/-\d+$/, "");

/** The layer of the same operator whose number is nearest. */
function nearestRow(rows, id, name) {
  const number = (one) => Number(one.match(/\d+$/)?.[0] ?? 0);
  const same = rows.filter((row) => operatorOf(row.id) === operatorOf(id));
  const row = same.sort((a, b) => Math.abs(number(a.id) - number(id)) - Math.abs(number(b.id) - number(id)))[0];
  const gone = `The layer ${name ? `${name} (${id})` : id} is not in this port any more`;
  return row
    ? { row, remark: `${gone}; ${nameOf(row)} (${row.id}) is the nearest of its operator.` }
    : { row: null, remark: `${gone}.` };
}

/** The address of a layer: its id, and its name among what is remembered of the page. */
function addressOf(row) {
  const values = new URLSearchParams(location.search);
  values.set("layer", nameOf(row));
  return `?${values}#${row.id}`;
}

/** Selects a layer: highlights it in table, diagram and source, and shows what it is. */
async function selectLayer(row) {
  const table = layersTable(), state = stateOf(table);
  state.selected = row;
  selection.id = row.id;
  await openGroupsOf(table, row);
  showRows(table);
  highlight("mr-selected", [row]);
  scrollToRow(table, row);
  await Promise.all([showBox(state, row), markSource(row)]);
  showCard(row);
}

/** Opens the groups that hold a layer, where the table is folded. */
async function openGroupsOf(table, row) {
  const state = stateOf(table);
  if (!state.form.elements.grouped.checked) return;
  for (const node of allGroups(state.groups)) if (node.rows.includes(row)) node.open = true;
}

/** Opens the level that holds a layer, and highlights its box there. */
async function showBox(state, row) {
  const overview = document.querySelector(".mr-overview");
  const [, level, boxed = row.id] = state.data.rows[state.natural.indexOf(row)];
  if (!overview || level === undefined) return;
  if (!boxOf(overview, boxed || row.id) || (overview.level ?? "") !== level) await showLevel(overview, level);
  const box = boxOf(overview, boxed || row.id);
  highlight("mr-lit", box ? [box] : []);
  if (box) centre(overview.querySelector(".mr-diagram-frame"), box);
}

/** Selects nothing. */
function clearSelection() {
  const table = layersTable(), state = table && stateOf(table);
  selection.id = "";
  if (!state?.selected) return;
  state.selected = null;
  for (const name of ["mr-selected", "mr-lit", "mr-marked-line"]) highlight(name, []);
  hideCard();
  showRows(table);
}

/** Shows in the table the layers of the level that was opened, all where it is the overview. */
async function followLevel(level) {
  const table = layersTable(), overview = document.querySelector(".mr-overview");
  clearSelection();
  if (overview) {
    await showLevel(overview, level);
    if (level) overview.scrollIntoView({ block: "nearest" });
  }
  if (!table) return;
  const state = stateOf(table);
  if (level) await loadLayers(table);
  state.only = level ? groupOfLevel(state, level) : null;
  showOnly(state.only);
  if (state.data || state.only) showRows(table);
}

/** Says above the table that it shows one group alone. */
function showOnly(group) {
  const place = document.querySelector(".mr-only");
  place.hidden = !group;
  if (!group) return;
  const back = document.createElement("a");
  back.href = "#level=";
  back.textContent = "Show all layers";
  place.replaceChildren(`The table shows the layers of ${group.row.querySelector("button").textContent}. `, back);
}

/** Follows the page's address. */
async function followAddress({ scroll = true } = {}) {
  const hash = decodeURIComponent(location.hash.slice(1)), table = layersTable();
  if (hash.startsWith("level=")) return followLevel(hash.slice(6));
  if (!table || !isLayerId(hash)) {
    if (!hash && table) return followLevel("");
    return followElement(hash);
  }
  await loadSelection(table);
  const state = stateOf(table), name = new URLSearchParams(location.search).get("layer");
  const { row, remark } = rowOfLink(state.natural, state.byId, hash, name);
  notice(remark);
  if (row) await selectLayer(row);
  if (scroll) table.closest(".mr-tall").scrollIntoView({ block: "start" });
}

/** Selects a layer as a step that the back button undoes; a walk with keys is one step. */
async function goTo(row, { replace = false } = {}) {
  showAddress(addressOf(row), !replace);
  selection.followed = "";
  notice("");
  await selectLayer(row);
}

/** Selects a layer where its link is clicked, or its row, outside of links and texts that are selected. */
async function followClick(event) {
  const table = layersTable();
  if (!table || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  const anchor = event.target.closest("a");
  const row = event.target.closest("#layers-table tbody tr[id]");
  const id = anchor ? hrefOf(anchor).replace(/^#/, "") : row?.id;
  if (!id || (anchor ? !hrefOf(anchor).startsWith("#") || !isLayerId(id) : event.target.closest("summary, button"))) return;
  if (!anchor && String(getSelection())) return;
  event.preventDefault();
  await loadSelection(table);
  const target = stateOf(table).byId.get(id);
  if (!target) return;
  await goTo(target);
  if (!event.target.closest(".mr-overview, .mr-tall, .mr-card")) table.closest(".mr-tall").scrollIntoView({ block: "start" });
}

addEventListener("DOMContentLoaded", () => document.addEventListener("click", followClick));
/** Follows the address once where it changed; filters change it without leading anywhere. */
function followChange() {
  const place = location.hash + new URLSearchParams(location.search).get("layer");
  if (place === selection.followed) return;
  selection.followed = place;
  followAddress({ scroll: false });
}

addEventListener("hashchange", followChange);
addEventListener("popstate", followChange); // a change of the query is no change of the hash
addEventListener("load", () => location.hash && followAddress()); // after the browser itself has scrolled

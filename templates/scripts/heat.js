// The choice of what colours the diagram of a port; the colouring itself is loaded when it is chosen.

/** Loads what colours a diagram, and colours it. */
async function applyHeat(overview, kind) {
  const colour = await loadData(lateFile("heat.js"));
  colour(overview, kind, await loadData("heat.js"));
}

/** Keeps in the page's address what colours its diagrams; nothing for the operators. */
function keepColour(kind) {
  const values = new URLSearchParams(location.search);
  values.delete("colour");
  if (kind) values.set("colour", kind);
  showAddress((values.size ? `?${values}` : location.pathname) + location.hash);
}

/** Adds the choice to a diagram; it is kept in the page's address. */
function connectHeat(overview) {
  const table = layersTable();
  if (!table) return;
  const has = (key) => columnOf(table, key) >= 0;
  const kinds = [["", "operator"], ...(has("forward") ? [["time", "time"]] : []),
    ...(has("backward") ? [["forward", "forward time"], ["backward", "backward time"]] : []), ["memory", "memory"]];
  const select = document.createElement("select");
  select.append(...kinds.map(([value, text]) => new Option(text, value)));
  const label = Object.assign(document.createElement("label"), { className: "mr-heat-choice" });
  label.append("Colour by ", select);
  overview.querySelector("summary").after(label);
  const asked = new URLSearchParams(location.search).get("colour");
  if (kinds.some(([value]) => value && value === asked)) {
    select.value = asked;
    applyHeat(overview, asked);
  }
  select.addEventListener("input", () => {
    keepColour(select.value);
    applyHeat(overview, select.value);
  });
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll(".mr-overview").forEach(connectHeat));

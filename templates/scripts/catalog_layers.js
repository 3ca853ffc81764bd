// The page of all layers of the catalog, which loads them and what shows them.

/** Loads the layers and shows them. */
async function showCatalogLayers(place) {
  const scripts = ["parquet.js", "layer-query.js", "catalog-layers.js"];
  const loaded = [];
  for (const name of scripts) loaded.push(await loadData(lateFile(name)));
  loaded.at(-1)(place, await loadData("layers.js"));
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll(".mr-catalog-layers").forEach(showCatalogLayers));

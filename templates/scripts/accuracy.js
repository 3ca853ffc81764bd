// The table of accuracy and cost shows the rates of one device, which a reader chooses.

/** Shows the columns of the chosen device alone; the choice is kept in the page's address. */
function connectAccuracy(form) {
  const table = document.getElementById("accuracy-table"), choice = form.elements.rates;
  const show = () => {
    for (const cell of table.querySelectorAll("[data-device]")) cell.hidden = cell.dataset.device !== choice.value;
  };
  form.hidden = false;
  const asked = new URLSearchParams(location.search).get("rates");
  if ([...choice.options].some((option) => option.value === asked)) choice.value = asked;
  choice.addEventListener("input", () => {
    const values = new URLSearchParams(location.search);
    values.set("rates", choice.value);
    showAddress(`?${values}${location.hash}`);
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}

document.querySelectorAll("#accuracy-device").forEach(connectAccuracy);

// The filter above two networks side by side.

/** The numbers of the changes that a filter asks for; null where it asks for none. */
function askedChanges(form) {
  const option = form.elements.change?.selectedOptions[0];
  return option?.dataset.numbers ? option.dataset.numbers.trim().split(" ") : null;
}

/** Whether a row passes the filter's text and changes. */
function rowPasses(row, text, changes) {
  if (text && !row.textContent.toLowerCase().includes(text)) return false;
  if (!changes) return true;
  if (changes[0] === "any") return "changes" in row.dataset;
  const own = row.dataset.changes?.split(" ") ?? [];
  return changes.some((number) => own.includes(number));
}

/** Shows the rows that pass, and says how many they are. */
function filterRows(form, alignment) {
  const text = form.elements.text.value.trim().toLowerCase();
  const changes = askedChanges(form);
  const filtered = Boolean(text || changes);
  const rows = alignment.rows();
  let shown = 0;
  for (const row of rows) {
    row.hidden = filtered && !rowPasses(row, text, changes);
    shown += !row.hidden;
  }
  alignment.table.classList.toggle("mr-filtered", filtered);
  alignment.table.classList.toggle("mr-all", form.elements.equal.checked);
  alignment.table.classList.toggle("mr-brief", !form.elements.columns.checked);
  alignment.keepStop();
  form.querySelector("output").textContent = filtered ? `${shown} of ${alignment.table.dataset.total} rows` : "";
}

/** Connects the filter; its values are kept in the page's address. */
function connectRowFilter(form, alignment) {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements[name];
    if (field?.type === "checkbox") field.checked = value === "on";
    else if (field) field.value = value;
  }
  const apply = async () => {
    const wantsAll = form.elements.text.value || form.elements.equal.checked;
    if (wantsAll) await alignment.hold();
    filterRows(form, alignment);
  };
  form.addEventListener("input", () => {
    apply();
    const values = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    showAddress((values.size ? `?${values}` : location.pathname) + location.hash);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // a search field would lose its text
    event.target.blur();
  });
  document.addEventListener("mr-rows", () => filterRows(form, alignment));
  form.hidden = false;
  apply();
}

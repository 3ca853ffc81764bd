// The element that the address names: its row, and its box in the diagram.

/** Scrolls a frame, not the page, so that an element inside it is in its middle. */
function centre(frame, element) {
  const [outer, inner] = [frame.getBoundingClientRect(), element.getBoundingClientRect()];
  frame.scrollBy(
    inner.x - outer.x - (outer.width - inner.width) / 2,
    inner.y - outer.y - (outer.height - inner.height) / 2,
  );
}

/** Highlights a layer in the diagram, and scrolls the diagram to it. */
function lightUp(box) {
  document.querySelectorAll(".mr-lit").forEach((lit) => lit.classList.remove("mr-lit"));
  box.classList.add("mr-lit");
  centre(box.closest(".mr-diagram-frame"), box);
}

/** Scrolls to the element that the address names, and to its layer in the diagram. */
function followHash() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  (target.closest("tr") ?? target).hidden = false;
  const frame = target.closest(".mr-tall, .mr-diagram-frame");
  if (!frame) return;
  frame.scrollIntoView({ block: "start" });
  if (frame.matches(".mr-tall")) {
    target.scrollIntoView({ block: "nearest" });
    frame.scrollTop += target.getBoundingClientRect().y - frame.getBoundingClientRect().y - frame.clientHeight / 2;
  }
  const box = document.getElementById(`a_r-${target.id}`) ?? target;
  if (box.closest(".mr-diagram")) lightUp(box);
}

addEventListener("hashchange", followHash);
addEventListener("load", followHash); // after the browser itself has scrolled

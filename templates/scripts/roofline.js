// The roofline of a port; drawing it is loaded when it comes into view.

function connectRoofline(place) {
  place.hidden = false;
  const watch = new IntersectionObserver(async ([seen]) => {
    if (!seen.isIntersecting) return;
    watch.disconnect();
    const data = await loadData("roofline.js");
    (await loadData(lateFile("roofline.js")))(place, data);
  }, { rootMargin: "200px" });
  watch.observe(place);
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll(".mr-roofline").forEach(connectRoofline));

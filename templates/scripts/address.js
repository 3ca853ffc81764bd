// The address of the page, which tells what a reader chose on it.

/** Shows an address that leads to the same page; a report in a frame of a notebook has none. */
function showAddress(address, adds = false) {
  if (location.protocol === "about:") return;
  if (adds) history.pushState(null, "", address);
  else history.replaceState(history.state, "", address);
}

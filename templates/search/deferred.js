"use strict";
// The index of the search is built for the first search, not whenever a page opens: building it
// takes longer than showing most pages.
(() => {
  const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3;
  const send = self.postMessage.bind(self);
  let setup = null, query = null, built = false, replaying = false;

  const replay = (data) => {
    replaying = true;
    self.dispatchEvent(new MessageEvent("message", { data }));
    replaying = false;
  };

  self.addEventListener("message", (event) => {
    if (built || replaying) return;
    event.stopImmediatePropagation();
    const message = event.data;
    if (message.type === SETUP) {
      setup = message;
      send({ type: READY });
    } else if (message.type === QUERY && !message.data) {
      query = null;
      send({ type: RESULT, data: { items: [] } });
    } else {
      query = message;
      if (setup) replay(setup);
      setup = null;
    }
  });

  self.postMessage = (message) => {
    if (built || message.type !== READY) return send(message);
    built = true;
    if (query) replay(query);
  };
})();

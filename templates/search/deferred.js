// The index of the search is fetched and built for the first search, not whenever a page opens:
// both take longer than showing most pages.
(() => {
  const SETUP = 0, READY = 1, QUERY = 2, RESULT = 3;
  const send = self.postMessage.bind(self);
  let setup = null, query = null, built = false, replaying = false;

  const replay = (data) => {
    replaying = true;
    self.dispatchEvent(new MessageEvent("message", { data }));
    replaying = false;
  };

  /** Fetches the entries, which the page's own index does not have unless it was opened as a file. */
  async function build(message) {
    if (!message.data.docs?.length) {
      const answer = await fetch(new URL("../../../search/search_entries.json", self.location));
      message.data.docs = await answer.json();
    }
    replay(message);
  }

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
      if (setup) build(setup);
      setup = null;
    }
  });

  self.postMessage = (message) => {
    if (built || message.type !== READY) return send(message);
    built = true;
    if (query) replay(query);
  };
})();

// Search in a page that was opened as a file: browsers give it no worker, so that the script of
// the search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!doctype html><title>Search</title>";
      this.inside = new Promise((ready) => {
        frame.addEventListener("load", () => {
          const { contentWindow: inside, contentDocument: page } = frame;
          const load = (source) => new Promise((loaded) => {
            const script = page.createElement("script");
            script.src = source;
            script.addEventListener("load", loaded);
            page.body.append(script);
          });
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          inside.importScripts = async (...sources) => {
            for (const source of sources) await load(source);
          };
          load(new URL(address, location.href)).then(() => ready(inside));
        }, { once: true });
      });
      document.body.append(frame);
    }

    async postMessage(data) {
      const inside = await this.inside;
      inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}

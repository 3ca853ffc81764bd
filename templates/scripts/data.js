// Files beside a page that hold more of it: rows of a table, drawings, sources. They are scripts
// since a page that was opened as a file may not fetch: data call `receivePacked` with compressed
// JSON, code that is loaded late calls `receiveData`.

/** What the script that ran last gave, or a promise of it. */
let receivedData;

globalThis.receiveData = (value) => { receivedData = value; };
globalThis.receivePacked = (text) => { receivedData = unpack(text); };

/** The value of JSON that was compressed by zlib and written in base64. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** The data in a file, which is loaded once. */
function loadData(address) {
  const loads = (loadData.loads ??= {}); // not a constant: scripts above this one may call it first
  loads[address] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => { script.remove(); resolve(receivedData); };
    script.onerror = () => reject(new Error(`${address} cannot be loaded`));
    document.head.append(script);
  });
  return loads[address];
}

/** The address of a style sheet or script that pages load when a reader asks for what it does. */
const lateFile = (name) =>
  document.querySelector('script[src*="modeldocs.js"]').src.replace(/modeldocs\.js.*$/, `modeldocs-${name}`);

// Files beside a page that hold more of it: rows of a table, drawings, sources. They are scripts
// that call `receiveData`, since a page that was opened as a file may not fetch.

/** What the script that ran last gave to `receiveData`. */
let receivedData;

/** Promises of data, by address. */
const loadedData = {};

globalThis.receiveData = (value) => { receivedData = value; };

/** The data in a file, which is loaded once. */
function loadData(address) {
  loadedData[address] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => { script.remove(); resolve(receivedData); };
    script.onerror = () => reject(new Error(`${address} cannot be loaded`));
    document.head.append(script);
  });
  return loadedData[address];
}

/** The address of a style sheet or script that pages load when a reader asks for what it does. */
const lateFile = (name) =>
  document.querySelector('script[src*="modeldocs.js"]').src.replace(/modeldocs\.js.*$/, `modeldocs-${name}`);

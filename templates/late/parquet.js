// Reads Parquet files of one group of rows with flat columns: text, whole numbers and doubles, as
// they are or in dictionaries, uncompressed or in gzip. The page of all layers loads it.
(() => {
  const TYPES = { WHOLE: 2, DOUBLE: 5, TEXT: 6 }, GZIP = 2, DICTIONARY_PAGE = 2, PLAIN = 0;

  /** Reads values of Thrift's compact protocol; a struct is an object by the numbers of its fields. */
  class Thrift {
    constructor(bytes, place) { this.bytes = bytes; this.place = place; }

    varint() {
      let value = 0, factor = 1, byte;
      do {
        byte = this.bytes[this.place++];
        value += (byte & 127) * factor;
        factor *= 128;
      } while (byte & 128);
      return value;
    }

    number() {
      const value = this.varint();
      return value % 2 ? -(value + 1) / 2 : value / 2;
    }

    text() {
      const length = this.varint();
      this.place += length;
      return this.bytes.subarray(this.place - length, this.place);
    }

    value(type) {
      if (type === 1 || type === 2) return type === 1;
      if (type === 3) return this.bytes[this.place++];
      if (type >= 4 && type <= 6) return this.number();
      if (type === 7) { this.place += 8; return null; }
      if (type === 8) return this.text();
      if (type === 9 || type === 10) return this.list();
      if (type === 12) return this.struct();
      throw new Error(`a field of type ${type} is not read`);
    }

    list() {
      const head = this.bytes[this.place++], type = head & 15;
      const length = head >> 4 === 15 ? this.varint() : head >> 4;
      // In a list, unlike in a struct, a boolean is a byte.
      return Array.from({ length }, () => this.value(type <= 2 ? 3 : type));
    }

    struct() {
      const fields = {};
      for (let id = 0; ;) {
        const head = this.bytes[this.place++];
        if (!head) return fields;
        id = head >> 4 ? id + (head >> 4) : this.number();
        fields[id] = this.value(head & 15);
      }
    }
  }

  /** Numbers of so many bits, in runs of one number and in groups of eight. */
  function hybrid(bytes, place, bits, count) {
    const numbers = new Int32Array(count), reader = new Thrift(bytes, place), width = (bits + 7) >> 3;
    for (let done = 0; done < count;) {
      const head = reader.varint();
      if (head & 1) done = unpacked(bytes, reader, bits, numbers, done, (head >> 1) * 8);
      else {
        let value = 0;
        for (let byte = 0; byte < width; byte++) value |= bytes[reader.place++] << (8 * byte);
        numbers.fill(value, done, done += head >> 1);
      }
    }
    return numbers;
  }

  /** Reads packed numbers of up to 24 bits, the lowest first; those after the last fill a group. */
  function unpacked(bytes, reader, bits, numbers, start, count) {
    const stop = Math.min(start + count, numbers.length), mask = 2 ** bits - 1;
    let held = 0, has = 0, place = reader.place;
    for (let at = start; at < stop; at++) {
      for (; has < bits; has += 8) held |= bytes[place++] << has;
      numbers[at] = held & mask;
      held >>>= bits;
      has -= bits;
    }
    reader.place += (count * bits) / 8;
    return stop;
  }

  /** Values as they are, one after another. */
  function plain(bytes, type, count) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (type === TYPES.DOUBLE) return Array.from({ length: count }, (_, at) => view.getFloat64(8 * at, true));
    if (type === TYPES.WHOLE) return Array.from({ length: count }, (_, at) => Number(view.getBigInt64(8 * at, true)));
    const decoder = new TextDecoder();
    let place = 0;
    return Array.from({ length: count }, () => {
      const length = view.getUint32(place, true);
      place += 4 + length;
      return decoder.decode(bytes.subarray(place - length, place));
    });
  }

  async function inflated(bytes, codec) {
    if (codec !== GZIP) return bytes;
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /** A column: its distinct values, and for each row the number of its value, -1 where it has none. */
  async function column(bytes, about, rows, optional) {
    const type = about[1], codes = new Int32Array(rows).fill(-1);
    let values = [], place = about[11] ?? about[9], row = 0;
    while (row < rows) {
      const reader = new Thrift(bytes, place), head = reader.struct();
      place = reader.place + head[3];
      const page = await inflated(bytes.subarray(reader.place, place), about[4]);
      if (head[1] === DICTIONARY_PAGE) {
        values = plain(page, type, head[7][1]);
        continue;
      }
      const { 1: count, 2: encoding } = head[5];
      let start = 0, present = null;
      if (optional) {
        start = 4 + new DataView(page.buffer, page.byteOffset).getUint32(0, true);
        present = hybrid(page, 4, 1, count);
      }
      const known = present ? present.reduce((sum, one) => sum + one, 0) : count;
      if (known === count) present = null;
      let numbers;
      if (encoding === PLAIN) {
        const first = values.length;
        values = values.concat(plain(page.subarray(start), type, known));
        numbers = Int32Array.from({ length: known }, (_, at) => first + at);
      } else numbers = hybrid(page, start + 1, page[start], known);
      for (let at = 0, next = 0; at < count; at++, row++) if (!present || present[at]) codes[row] = numbers[next++];
    }
    return { values, codes };
  }

  /** The columns of a file by name, and its number of rows. */
  async function read(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const about = new Thrift(bytes, bytes.length - 8 - view.getUint32(bytes.length - 8, true)).struct();
    const text = new TextDecoder(), rows = about[3], group = about[4][0];
    const optional = new Map(about[2].slice(1).map((one) => [text.decode(one[4]), one[3] === 1]));
    const found = (group?.[1] ?? []).map(async (one) => {
      const name = text.decode(one[3][3][0]);
      return [name, await column(bytes, one[3], rows, optional.get(name))];
    });
    return { rows, columns: Object.fromEntries(await Promise.all(found)) };
  }

  globalThis.receiveParquet = (base64) => {
    receiveData(read(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))));
  };
})();

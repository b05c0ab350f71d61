// The tables inside this file: see columns.py for the layout of a block.

const SOURCES = new Map();
for (const element of document.querySelectorAll("script[data-table]")) {
  const name = element.dataset.table;
  if (!SOURCES.has(name)) SOURCES.set(name, []);
  SOURCES.get(name).push(element);
}

const has = (name) => SOURCES.has(name);

async function inflated(element) {
  const text = element.textContent;
  const binary = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([binary]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };

class Table {
  constructor(header, data) {
    this.rows = header.rows;
    this.columns = {};
    for (const [name, told] of Object.entries(header.columns)) {
      const count = header.rows;
      const values = new ARRAYS[told.bytes](data.buffer, data.byteOffset + told.at, count);
      const column = { values, strings: told.strings };
      if (told.columns) {
        column.inner = new Table(told, data);
        column.starts = new Uint32Array(count + 1);
        for (let row = 0; row < count; row++) column.starts[row + 1] = column.starts[row] + values[row];
      }
      this.columns[name] = column;
    }
  }

  static async read(element) {
    const bytes = await inflated(element);
    const length = new DataView(bytes.buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    return new Table(header, bytes.subarray(4 + length));
  }

  numbers(name) {
    return this.columns[name].values;
  }

  number(name, row) {
    return this.columns[name].values[row];
  }

  strings(name) {
    return this.columns[name].strings;
  }

  text(name, row) {
    const { values, strings } = this.columns[name];
    return strings[values[row]];
  }

  /** The rows of a list, each as an object of its columns. */
  list(name, row) {
    const { inner, starts } = this.columns[name];
    const found = [];
    for (let at = starts[row]; at < starts[row + 1]; at++) {
      const item = {};
      for (const key of Object.keys(inner.columns)) {
        item[key] = inner.columns[key].strings ? inner.text(key, at) : inner.number(key, at);
      }
      found.push(item);
    }
    return found;
  }
}

/** A table that is small, or empty where the page has none; read when it is asked for. */
const tables = new Map();
function table(name) {
  if (!tables.has(name)) {
    const [source] = SOURCES.get(name) || [];
    tables.set(name, source ? Table.read(source) : Promise.resolve(new Table({ rows: 0, columns: {} }, new Uint8Array())));
  }
  return tables.get(name);
}

async function readFacts() {
  return JSON.parse(new TextDecoder().decode(await inflated(SOURCES.get("facts")[0])));
}

/** A long table in parts, each read when one of its rows is asked for. */
class Parts {
  constructor(name) {
    this.sources = SOURCES.get(name) || [];
    this.starts = [0];
    for (const { dataset } of this.sources) this.starts.push(this.starts.at(-1) + Number(dataset.rows));
    this.loaded = new Array(this.sources.length);
    this.pending = new Map();
  }

  get rows() {
    return this.starts.at(-1);
  }

  partOf(row) {
    let low = 0;
    let high = this.sources.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** [table, row in it], or null while it is not read; `then` is called when it is. */
  at(row, then) {
    const part = this.partOf(row);
    if (this.loaded[part]) return [this.loaded[part], row - this.starts[part]];
    this.load(part).then(then);
    return null;
  }

  async wait(row) {
    const part = this.partOf(row);
    return [await this.load(part), row - this.starts[part]];
  }

  load(part) {
    if (!this.pending.has(part)) {
      const reading = Table.read(this.sources[part]).then((read) => (this.loaded[part] = read));
      this.pending.set(part, reading);
    }
    return this.pending.get(part);
  }
}

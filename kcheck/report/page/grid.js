// A list of any length: only the rows in sight are in the document. Keys move, Enter opens.

//: Browsers do not lay out elements that are much higher.
const HIGHEST = 8_000_000;
const PRINTED = 300;
//: In lists that are not wider, a row is a card of this height.
const NARROW = 560;
const CARD = 96;
let gridNumber = 0;

class Grid {
  /**
   * columns: {key, title, width, kind, cell(row) → text or node, sort (bool), above (px)}, with
   * `unseen` in place of `title` where its cells tell what they are; a column is left out where the
   * list is not wider than `above`. `card(row)`, if given, makes what a row is
   * where there is no room for columns. `onSort(key, descending)` is to call
   * `show` with the rows in that order; `onOpen(row)` is called for the row that was chosen.
   */
  constructor({ label, columns, height = 28, onOpen, onSort, sorted, card, empty = "Nothing to show." }) {
    this.id = `grid${gridNumber++}`;
    this.columns = columns;
    this.height = height;
    this.heights = [height, card ? CARD : height];
    this.card = card;
    this.onOpen = onOpen;
    this.onSort = onSort;
    this.sorted = sorted || { key: null, descending: false };
    this.empty = empty;
    this.rows = [];
    this.active = -1;
    this.head = h("div.head", { id: `${this.id}-head`, role: "row", "aria-rowindex": 1 });
    this.sizer = h("div.sizer");
    this.view = h("div.rows");
    // What scrolls has the focus; the heads stand above it, so that they stay, and belong to it.
    this.body = h("div.body", { role: "grid", "aria-label": label, "aria-owns": this.head.id, tabindex: 0 }, this.sizer, this.view);
    this.element = h("div.grid", { onkeydown: (event) => this.key(event) }, this.head, this.body);
    this.body.addEventListener("scroll", () => this.soon());
    this.view.addEventListener("click", (event) => {
      const row = event.target.closest("[data-at]");
      if (row && !event.target.closest("a")) this.choose(Number(row.dataset.at), true);
    });
    new ResizeObserver(() => this.layout()).observe(this.element);
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
  }

  show(rows) {
    this.rows = rows;
    this.active = -1;
    this.body.scrollTop = 0;
    this.body.setAttribute("aria-rowcount", rows.length + 1);
    this.element.dataset.rows = rows.length;
    this.layout();
  }

  layout() {
    const width = this.element.clientWidth;
    if (!width) return;
    const narrow = Boolean(this.card) && width < NARROW;
    this.height = this.heights[Number(narrow)];
    this.element.classList.toggle("cards", narrow);
    this.shown = narrow ? [{ kind: "card", unseen: "Finding", cell: this.card }] : fitting(this.columns, width);
    this.element.style.setProperty("--columns", this.shown.map(({ width: own }) => own || "minmax(0, 1fr)").join(" "));
    this.head.replaceChildren(...this.shown.map((column) => this.heading(column)));
    this.sizer.style.height = `${Math.min(HIGHEST, this.rows.length * this.height)}px`;
    this.draw();
  }

  heading(column) {
    const active = this.sorted.key === column.key;
    const direction = this.sorted.descending ? "descending" : "ascending";
    const cell = h(`div.${column.kind || "text"}`, {
      role: "columnheader",
      "aria-sort": active ? direction : null,
    });
    if (!column.sort) {
      cell.append(column.title || unseen(column.unseen));
      return cell;
    }
    const mark = h("span.mark", { "aria-hidden": "true" }, active ? (this.sorted.descending ? "▾" : "▴") : "");
    const sort = () => {
      this.sorted = { key: column.key, descending: active ? !this.sorted.descending : column.kind === "number" };
      this.onSort(this.sorted.key, this.sorted.descending);
      this.head.children[this.shown.indexOf(column)]?.querySelector("button")?.focus();
    };
    // Beside numbers the mark stands on the left, so that they keep their edge.
    const title = column.kind === "number" ? [mark, column.title] : [column.title, mark];
    cell.append(h("button", { type: "button", onclick: sort }, title));
    return cell;
  }

  soon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  /** The first row in sight. A list that is too high for the browser scrolls in larger steps. */
  first() {
    const full = this.rows.length * this.height;
    const seen = this.body.clientHeight;
    if (full <= HIGHEST) return this.body.scrollTop / this.height;
    return ((this.body.scrollTop / (HIGHEST - seen)) * (full - seen)) / this.height;
  }

  draw() {
    if (!this.shown) return;
    const first = this.printing ? 0 : this.first();
    const seen = this.printing ? PRINTED : Math.ceil(this.body.clientHeight / this.height) + 1;
    const start = Math.max(0, Math.floor(first) - 4);
    const end = Math.min(this.rows.length, Math.floor(first) + seen + 4);
    const offset = this.body.scrollTop + (start - first) * this.height;
    this.view.style.transform = this.printing ? "none" : `translateY(${offset}px)`;
    const drawn = [];
    for (let at = start; at < end; at++) drawn.push(this.row(at));
    if (!this.rows.length) drawn.push(this.note(this.empty));
    if (this.printing && this.rows.length > end) {
      drawn.push(this.note(`The first ${count(end)} of ${count(this.rows.length)} rows.`));
    }
    this.view.replaceChildren(...drawn);
    if (this.active >= start && this.active < end) {
      this.body.setAttribute("aria-activedescendant", `${this.id}-${this.active}`);
    } else this.body.removeAttribute("aria-activedescendant");
  }

  /** What stands in place of rows: one itself, since a grid holds nothing else. */
  note(text) {
    return h("div", { role: "row" }, h("p.empty", { role: "gridcell" }, text));
  }

  row(at) {
    const element = h("div.row", {
      role: "row",
      id: `${this.id}-${at}`,
      "aria-rowindex": at + 2,
      "aria-selected": at === this.active ? "true" : "false",
      "data-at": at,
    });
    element.style.height = `${this.height}px`;
    for (const column of this.shown) {
      const content = column.cell(this.rows[at]);
      const cell = h(`div.${column.kind || "text"}`, { role: "gridcell" }, content);
      if (typeof content === "string" && content.length > 20) cell.title = content;
      element.append(cell);
    }
    return element;
  }

  choose(at, open) {
    if (!this.rows.length) return;
    this.active = Math.max(0, Math.min(this.rows.length - 1, at));
    this.reveal();
    this.draw();
    if (open && this.onOpen) this.onOpen(this.rows[this.active], this.element);
  }

  reveal() {
    const first = this.first();
    const seen = this.body.clientHeight / this.height;
    let target = null;
    if (this.active < first) target = this.active;
    else if (this.active + 1 > first + seen) target = this.active + 1 - seen;
    if (target === null) return;
    const full = this.rows.length * this.height;
    const view = this.body.clientHeight;
    this.body.scrollTop =
      full <= HIGHEST ? target * this.height : ((target * this.height) / (full - view)) * (HIGHEST - view);
  }

  key(event) {
    if (event.target.closest("button, a") && event.key === "Enter") return;
    const page = Math.max(1, Math.floor(this.body.clientHeight / this.height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.choose(this.active + steps[event.key], this.follows);
    else if (event.key === "Enter") this.choose(Math.max(0, this.active), true);
    else return;
    event.preventDefault();
  }

  print(on) {
    this.printing = on;
    this.layout();
  }
}

/** The columns for which there is room; those that ask for the widest lists go first. */
function fitting(columns, width) {
  const least = ({ width: own }) => Math.max(60, Number(/\d+(?=px)/.exec(own || "")?.[0] || 0));
  const shown = columns.filter(({ above }) => !above || width > above);
  const needed = () => shown.reduce((sum, column) => sum + least(column) + 10, 36);
  while (needed() > width) {
    const widest = shown.reduce((a, b) => ((b.above || 0) > (a.above || 0) ? b : a));
    if (!widest.above) break;
    shown.splice(shown.indexOf(widest), 1);
  }
  return shown;
}

/** Row numbers sorted by a number that each has; `keys[row]` below 2**32. Equal rows keep order. */
function sortedBy(rows, key, descending) {
  const packed = new Float64Array(rows.length);
  const many = rows.length || 1;
  for (let at = 0; at < rows.length; at++) {
    const value = key(rows[at]);
    packed[at] = (descending ? 4294967295 - value : value) * many + at;
  }
  packed.sort();
  return Uint32Array.from(packed, (value) => rows[value % many]);
}

/** For each string its place among all in the order of the alphabet, "" last. */
function places(strings) {
  const order = strings.map((text, at) => [text || "", at]);
  const collator = new Intl.Collator("en", { numeric: true });
  order.sort(([a], [b]) => (a && b ? collator.compare(a, b) : Number(!a) - Number(!b)));
  const found = new Uint32Array(strings.length);
  order.forEach(([, at], place) => (found[at] = place));
  return found;
}

// Fetches frames ahead of the playhead and keeps those that were seen, up to a budget of memory.

const BUDGET = 768 * 2 ** 20;
const AT_ONCE = 4;
const THREADS = 2;

/** Fetches bytes in threads of their own, `loader.js`. */
export class Loader {
  constructor() {
    this.waiting = new Map();
    this.count = 0;
    this.workers = Array.from({ length: THREADS }, () => {
      const worker = new Worker("loader.js");
      worker.onmessage = ({ data: { number, buffer, error } }) => {
        const { done, failed } = this.waiting.get(number);
        this.waiting.delete(number);
        if (buffer) done(buffer);
        else failed(new Error(error));
      };
      return worker;
    });
  }

  get(path) {
    const number = this.count++;
    return new Promise((done, failed) => {
      this.waiting.set(number, { done, failed });
      this.workers[number % THREADS].postMessage({ number, path });
    });
  }
}

export class Store {
  /** `load(key)` gives a promise of something with a length in `bytes`. */
  constructor(load) {
    this.load = load;
    this.ready = new Map(); // in the order of last use
    this.pending = new Map();
    this.wanted = [];
    this.bytes = 0;
    this.failed = new Map();
  }

  /** What is there by now, or undefined. */
  get(key) {
    const item = this.ready.get(key);
    if (item !== undefined) {
      this.ready.delete(key);
      this.ready.set(key, item);
    }
    return item;
  }

  /** From now on these are needed, the first most urgently; what was asked for before is not. */
  want(keys) {
    this.wanted = keys.filter((key) => !this.ready.has(key) && !this.failed.has(key));
    this.pump();
  }

  pump() {
    while (this.pending.size < AT_ONCE) {
      const key = this.wanted.find((k) => !this.pending.has(k));
      if (key === undefined) return;
      this.pending.set(key, this.fetch(key));
    }
  }

  async fetch(key) {
    try {
      this.keep(key, await this.load(key));
    } catch (error) {
      // A frame that cannot be read once may be readable later: a run may be writing it again.
      this.failed.set(key, error);
      setTimeout(() => this.failed.delete(key), 3000);
    }
    this.pending.delete(key);
    this.wanted = this.wanted.filter((k) => k !== key);
    this.onchange?.();
    this.pump();
  }

  keep(key, item) {
    this.ready.set(key, item);
    this.bytes += item.bytes;
    for (const [old, { bytes }] of this.ready) {
      if (this.bytes <= BUDGET || old === key) break;
      this.ready.delete(old);
      this.bytes -= bytes;
    }
  }

  /** Forgets everything: the run was started again. */
  clear() {
    this.ready.clear();
    this.failed.clear();
    this.wanted = [];
    this.bytes = 0;
  }
}

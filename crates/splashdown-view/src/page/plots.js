// Tables that grow, and plots of them beside the picture.

import { axis, format } from "./scale.js";

const INKS = ["#2f7fc1", "#d9822b", "#3f9e63", "#b8518f", "#8a7bd1", "#9a8a2c"];

/** A table of the run that is read a piece at a time. */
export class Table {
  constructor(name) {
    this.name = name;
    this.read = 0; // bytes
    this.header = null;
    this.rows = []; // arrays of numbers, or text where it is no number
  }

  /** Reads what is new. */
  async update() {
    for (;;) {
      const path = this.name.split("/").map(encodeURIComponent).join("/");
      const response = await fetch(`api/table/${path}?from=${this.read}`);
      if (!response.ok) return;
      const bytes = await response.arrayBuffer();
      if (bytes.byteLength === 0) return;
      this.read += bytes.byteLength;
      const lines = new TextDecoder().decode(bytes).split("\n");
      for (const line of lines) {
        if (!line) continue;
        const cells = split(line);
        if (!this.header) this.header = cells;
        else this.rows.push(cells.map((cell) => (cell === "NaN" ? NaN : cell !== "" && isFinite(cell) ? Number(cell) : cell)));
      }
    }
  }

  /** The values of a column, or undefined. */
  column(name) {
    const k = this.header?.indexOf(name) ?? -1;
    return k < 0 ? undefined : this.rows.map((row) => row[k]);
  }
}

/** The cells of a line of CSV. */
function split(line) {
  if (!line.includes('"')) return line.split(",");
  const cells = [];
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  }
  return cells;
}

/** What to plot of the tables: title, unit, and curves as [name, times, values]. */
export function plotsOf(tables) {
  const plots = [];
  const log = tables.get("log");
  const add = (key, title, curves) => {
    const shown = curves.filter(([, , values]) => values?.some((v) => isFinite(v)));
    if (shown.length) plots.push({ key, title, curves: shown });
  };
  if (log?.header) {
    const t = log.column("t");
    const curve = (name, label) => [label, t, log.column(name)];
    const changing = ([, , values]) => values?.some((v) => v !== 0);
    const [kinetic, potential] = [log.column("kinetic_energy"), log.column("potential_energy")];
    const total = kinetic?.map((e, k) => e + potential[k]);
    add("energy", "energy, J", [["kinetic", t, kinetic], ["potential", t, potential], ["sum", t, total]]);
    add("iterations", "iterations per step",
      ["density", "divergence", "viscosity"].map((n) => curve(`${n}_iterations`, n)).filter(changing));
    add("dt", "time step, s", [curve("dt", "Δt")]);
    add("error", "density error, share of the rest density", [curve("density_error", "mean")]);
    add("compression", "largest compression, share of the rest density", [curve("max_compression", "largest")]);
    add("volume", "volume, m³", [curve("volume", "volume")]);
    const count = log.column("particles");
    if (count?.some((n) => n !== count[0])) add("particles", "particles", [curve("particles", "particles")]);
  }
  const bodies = tables.get("bodies");
  if (bodies?.header) {
    const [name, t] = [bodies.column("body"), bodies.column("t")];
    const sum = ["x", "y", "z"].map((axis) => {
      const [p, v] = [bodies.column(`pressure_force_${axis}`), bodies.column(`viscous_force_${axis}`)];
      return p?.map((f, k) => f + v[k]);
    });
    for (const body of new Set(name)) {
      const own = (values) => values?.filter((_, k) => name[k] === body);
      const curves = sum.map((f, axis) => ["xyz"[axis], own(t), own(f)]).filter(([, , f]) => f?.some((x) => x !== 0));
      add(`force ${body}`, `force on ${body}, N`, curves);
    }
  }
  for (const [key, table] of tables) {
    if (!key.startsWith("probe/") || !table.header) continue;
    const t = table.column("t");
    const names = table.header.slice(1);
    add(key, `${key.slice(6)}: ${names.length > 1 ? "velocity, m/s" : { pressure: "pressure, Pa", level: "level, m" }[names[0]] ?? names[0]}`,
      names.map((n) => [n.replace("velocity_", ""), t, table.column(n)]));
  }
  return plots;
}

/** One plot on the page. */
export class Plot {
  constructor(parent, onseek) {
    this.node = document.createElement("div");
    this.node.className = "plot";
    const heading = document.createElement("h2");
    this.title = document.createElement("span");
    this.value = document.createElement("span");
    this.value.className = "value";
    heading.append(this.title, this.value);
    this.canvas = document.createElement("canvas");
    this.keys = document.createElement("div");
    this.keys.className = "keys";
    this.node.append(heading, this.canvas, this.keys);
    parent.append(this.node);
    const time = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const { left, right, end } = this.frame ?? { left: 0, right: 1, end: 1 };
      return (Math.min(right, Math.max(left, event.clientX - box.left)) - left) / (right - left) * end;
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      onseek(time(event));
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) onseek(time(event));
      else {
        this.hover = time(event);
        this.draw(this.now);
      }
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.hover = undefined;
      this.draw(this.now);
    });
  }

  /** Takes new data; `end` is the time at the right edge. */
  set({ title, curves }, end) {
    this.heading = title;
    this.title.textContent = title;
    this.curves = curves;
    this.end = end;
    if (curves.length > 1) {
      this.keys.replaceChildren(...curves.map(([name], k) => {
        const key = document.createElement("span");
        const swatch = document.createElement("i");
        swatch.style.background = INKS[k % INKS.length];
        key.append(swatch, name);
        return key;
      }));
    }
    this.draw(this.now);
  }

  /** Draws with a line at time `now`. */
  draw(now) {
    this.now = now;
    if (!this.curves) return;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const c = this.canvas.getContext("2d");
    const style = getComputedStyle(this.canvas);
    const [ink, pale] = [style.getPropertyValue("--pale"), style.getPropertyValue("--line")];
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    let [low, high] = [Infinity, -Infinity];
    for (const [, , values] of this.curves) {
      for (const v of values) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (!(low <= high)) return;
    if (high - low < 1e-9 * Math.max(Math.abs(low), Math.abs(high), 1e-30)) {
      const room = Math.abs(low) * 0.1 || 1;
      [low, high] = [low - room, high + room];
    }
    const room = 0.06 * (high - low);
    const floor = low === 0 ? 0 : low - room;
    const [left, right, top, bottom] = [46, width - 4, 4, height - 16];
    this.frame = { left, right, end: this.end };
    const x = (t) => left + (t / this.end) * (right - left);
    const y = (v) => bottom - ((v - floor) / (high + room - floor)) * (bottom - top);
    c.font = `10px ${style.fontFamily}`;
    c.lineWidth = 1;
    c.strokeStyle = pale;
    c.fillStyle = ink;
    c.textAlign = "right";
    c.textBaseline = "middle";
    const { ticks, base } = axis(floor, high + room, 3);
    const heading = base ? `${this.heading} (labels + ${base})` : this.heading;
    if (this.title.textContent !== heading) this.title.textContent = heading;
    for (const [v, label] of ticks) {
      c.beginPath();
      c.moveTo(left, Math.round(y(v)) + 0.5);
      c.lineTo(right, Math.round(y(v)) + 0.5);
      c.stroke();
      c.fillText(label, left - 5, y(v));
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const [t, label] of axis(0, this.end, 5).ticks) c.fillText(label, Math.min(x(t), right - 8), bottom + 4);
    this.curves.forEach(([, times, values], k) => {
      c.strokeStyle = INKS[k % INKS.length];
      c.lineWidth = 1.4;
      c.lineJoin = "round";
      c.beginPath();
      line(c, times, values, x, y);
      c.stroke();
    });
    const shown = this.hover ?? now;
    if (shown !== undefined) {
      c.strokeStyle = style.getPropertyValue("--accent");
      c.globalAlpha = this.hover === undefined ? 0.9 : 0.5;
      c.beginPath();
      c.moveTo(x(shown), top);
      c.lineTo(x(shown), bottom);
      c.stroke();
      c.globalAlpha = 1;
      const at = this.curves.map(([, times, values]) => format(values[nearest(times, shown)]));
      this.value.textContent = at.join(" · ");
    }
  }
}

/** Follows the values; where many fall on one pixel, from the least to the largest of them. */
function line(c, times, values, x, y) {
  let column = -1;
  let [low, high, last] = [0, 0, 0];
  let pen = false;
  const flush = () => {
    if (column < 0 || !pen) return;
    c.lineTo(column, y(low));
    c.lineTo(column, y(high));
    c.lineTo(column, y(last));
  };
  for (let k = 0; k < times.length; k++) {
    const v = values[k];
    if (!isFinite(v)) {
      flush();
      [column, pen] = [-1, false];
      continue;
    }
    const at = Math.round(x(times[k]) * 2) / 2;
    if (at !== column) {
      flush();
      if (!pen) c.moveTo(at, y(v));
      [column, low, high, pen] = [at, v, v, true];
    }
    if (v < low) low = v;
    if (v > high) high = v;
    last = v;
  }
  flush();
}

function nearest(times, t) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low > 0 && t - times[low - 1] < times[low] - t ? low - 1 : low;
}

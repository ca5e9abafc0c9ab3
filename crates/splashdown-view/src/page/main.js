// The viewer: what is shown, and what buttons, keys and the pointer do to it.

import { Camera } from "./camera.js";
import { decodeFrame, decodeMesh } from "./decode.js";
import { Loader, Store } from "./frames.js";
import { Plot, Table, plotsOf } from "./plots.js";
import { Scene, rgb } from "./scene.js";
import { format } from "./scale.js";

const $ = (id) => document.getElementById(id);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** How many frames are fetched ahead. */
const AHEAD = 12;

const state = {
  frames: [], // numbers of the frames there are
  at: 0, // place in `frames`
  playing: false,
  clock: 0, // frames that are due while playing
  running: false,
  surface: false,
  color: "speed",
  auto: true,
  range: [0, 1],
  ranged: 0, // how many frames there were when the range was asked for
  moving: true, // until a frame turns out to have no moving bodies
  shown: null, // key of what is on the screen
};
const tables = new Map();
const plots = new Map();
const loader = new Loader();
let run, scene, camera, store, theme;

async function get(path, read = "json") {
  const response = await fetch(path);
  if (!response.ok) throw new Error((await response.text()).trim() || response.statusText);
  return response[read]();
}

function tell(message) {
  $("message").hidden = !message;
  $("message").textContent = message ?? "";
}

// Fetching.

const frameKey = (index) => `${state.surface ? "surface" : "frame"}/${index}?color=${state.color}`;
const bodiesKey = (index) => `bodies/${index}`;

async function load(key) {
  const buffer = await loader.get(`api/${key}`);
  return key.startsWith("frame") ? decodeFrame(buffer) : decodeMesh(buffer);
}

/** Asks for the frame at the playhead and those that come next. */
function want() {
  const keys = [];
  const ahead = state.surface ? 2 : state.playing ? AHEAD : 3;
  for (let k = state.at; k <= Math.min(state.at + ahead, state.frames.length - 1); k++) {
    keys.push(frameKey(state.frames[k]));
    if (state.moving) keys.push(bodiesKey(state.frames[k]));
  }
  store.want(keys);
}

const isReady = (k) =>
  store.ready.has(frameKey(state.frames[k])) && (!state.moving || store.ready.has(bodiesKey(state.frames[k])));

async function updateRange() {
  const color = state.color;
  state.ranged = state.frames.length;
  const range = await get(`api/range?color=${color}`);
  if (color === state.color && state.auto) {
    state.range = range;
    showLegend();
    invalidate();
  }
}

// Drawing.

let due = false;
function invalidate() {
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

// A graphics card that is too slow draws fewer particles, larger ones, while things move.
const COARSEST = 16;
const pace = { nth: 1, fast: 0, fence: null, dragging: false };

/** Every how many-th particle is drawn now. */
const detail = () => (state.playing || pace.dragging ? pace.nth : 1);

/** Measures how long the picture takes that was just sent off, and adapts. */
function keepPace(nth) {
  if (pace.fence) return;
  const { gl } = scene;
  const begun = performance.now();
  pace.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
  gl.flush();
  const look = () => {
    const took = performance.now() - begun;
    if (gl.clientWaitSync(pace.fence, 0, 0) === gl.TIMEOUT_EXPIRED && took < 5000) return setTimeout(look, 4);
    gl.deleteSync(pace.fence);
    pace.fence = null;
    if (nth !== pace.nth) return;
    pace.fast = took < 12 ? pace.fast + 1 : 0;
    if (took > 40 && nth < COARSEST) pace.nth *= 2;
    else if (pace.fast > 60 && nth > 1) [pace.nth, pace.fast] = [nth / 2, 0];
  };
  setTimeout(look, 4);
}

let lastDrawn;
function draw(now) {
  due = false;
  const passed = lastDrawn === undefined ? 0 : Math.min(now - lastDrawn, 200) / 1000;
  lastDrawn = state.playing ? now : undefined;
  if (state.playing) advance(passed);
  show();
  if (state.playing) invalidate();
}

function advance(seconds) {
  state.clock += seconds * run.frames_per_second * Number($("speed").value);
  while (state.clock >= 1) {
    if (state.at + 1 >= state.frames.length) {
      if (!state.running) pause();
      state.clock = 0;
      break;
    }
    if (!isReady(state.at + 1)) {
      state.clock = Math.min(state.clock, 1); // waits for it, and then goes on at the same speed
      break;
    }
    state.at += 1;
    state.clock -= 1;
  }
  want();
}

function show() {
  if (!state.frames.length) return;
  const index = state.frames[state.at];
  const key = frameKey(index);
  const item = store.get(key);
  if (item) {
    if (state.surface) scene.setMesh("surface", item);
    else scene.setFrame(item);
    if (state.moving) {
      const bodies = store.get(bodiesKey(index));
      if (bodies) {
        scene.setMesh("moving", bodies);
        state.moving = bodies.parts.length > 0;
      }
    }
    state.shown = key;
    tell(null);
  } else if (state.surface) {
    tell("making the surface …");
  } else if (store.failed.has(key)) {
    tell(store.failed.get(key).message);
  }
  const ramp = run.quantities.find((q) => q.name === state.color).ramp;
  // Until the first surface is made, the particles stay.
  const surface = state.surface && scene.surface.mesh !== undefined;
  const nth = detail();
  scene.draw(camera, { surface, bodies: $("bodies").checked, ramp, range: state.range, theme, nth });
  keepPace(nth);
  const time = index / run.frames_per_second;
  $("scrub").max = state.frames.length - 1;
  $("scrub").value = state.at;
  $("counter").textContent = `frame ${index} of ${state.frames[state.frames.length - 1]}`;
  $("stamp").textContent = `t = ${time.toFixed(3)} s`;
  for (const plot of plots.values()) if (plot.now !== time) plot.draw(time);
  // For tests and style sheets.
  Object.assign(document.body.dataset, {
    frames: state.frames.length,
    frame: index,
    shown: state.shown ?? "",
    points: scene.points.frame?.count ?? 0,
    running: state.running,
  });
}

function showLegend() {
  const quantity = run.quantities.find((q) => q.name === state.color);
  $("legend-title").textContent = quantity.unit ? `${quantity.label} (${quantity.unit})` : quantity.label;
  const byName = !quantity.ramp;
  $("legend-bar").hidden = $("legend-range").hidden = byName;
  $("legend-bar").style.display = $("legend-range").style.display = byName ? "none" : "";
  $("legend-names").replaceChildren(...(byName ? run.fluids : []).map((name, k) => {
    const entry = document.createElement("span");
    const dot = document.createElement("i");
    dot.style.background = run.fluid_colors[k % run.fluid_colors.length];
    entry.append(dot, name);
    return entry;
  }));
  if (byName) return;
  const bar = $("legend-bar");
  const colors = run.ramps[quantity.ramp];
  bar.width = colors.length;
  bar.height = 1;
  const c = bar.getContext("2d");
  colors.forEach((color, k) => {
    c.fillStyle = color;
    c.fillRect(k, 0, 1, 1);
  });
  for (const [k, id] of ["low", "high"].entries()) {
    // What somebody is typing is left alone.
    if (state.auto || document.activeElement !== $(id)) $(id).value = format(state.range[k]);
  }
  $("auto").setAttribute("aria-pressed", state.auto);
}

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => rgb(style.getPropertyValue(name).trim());
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  theme = {
    sky: color("--sky"),
    horizon: color("--horizon"),
    wall: dark ? [0.32, 0.37, 0.42] : [0.93, 0.945, 0.96],
    sheet: dark ? [0.27, 0.3, 0.33] : [0.82, 0.84, 0.855],
    ground: dark ? [0.1, 0.13, 0.16] : [0.93, 0.945, 0.957],
    grid: dark ? [0.2, 0.25, 0.29] : [0.78, 0.82, 0.85],
    edge: dark ? [0.75, 0.82, 0.88, 0.55] : [0.2, 0.27, 0.33, 0.6],
  };
}

// What people do.

function seek(at) {
  state.at = Math.min(Math.max(at, 0), Math.max(state.frames.length - 1, 0));
  state.clock = 0;
  if (state.at < state.frames.length - 1) $("follow").checked = false;
  want();
  invalidate();
}

function seekTime(time) {
  const index = Math.round(time * run.frames_per_second);
  let nearest = 0;
  state.frames.forEach((frame, k) => {
    if (Math.abs(frame - index) < Math.abs(state.frames[nearest] - index)) nearest = k;
  });
  seek(nearest);
}

function play() {
  if (!state.running && state.at >= state.frames.length - 1) state.at = 0;
  state.playing = true;
  state.clock = 0;
  $("play").classList.add("playing");
  $("play").setAttribute("aria-label", "pause");
  want();
  invalidate();
}

function pause() {
  state.playing = false;
  invalidate(); // with all particles
  $("play").classList.remove("playing");
  $("play").setAttribute("aria-label", "play");
}

function setSurface(on) {
  if (on && run.dimension === 2) return;
  state.surface = on;
  $("as-particles").setAttribute("aria-pressed", !on);
  $("as-surface").setAttribute("aria-pressed", on);
  tell(null);
  want();
  invalidate();
}

function setColor(name) {
  state.color = name;
  $("color").value = name;
  state.auto = true;
  want();
  showLegend();
  updateRange();
  invalidate();
}

function setRange() {
  const range = [Number($("low").value), Number($("high").value)];
  if (range.every(isFinite) && range[0] < range[1]) {
    state.range = range;
    state.auto = false;
  }
  showLegend();
  invalidate();
}

function connectControls() {
  $("play").onclick = () => (state.playing ? pause() : play());
  $("first").onclick = () => seek(0);
  $("last").onclick = () => seek(state.frames.length - 1);
  $("back").onclick = () => seek(state.at - 1);
  $("forth").onclick = () => seek(state.at + 1);
  $("scrub").oninput = () => seek(Number($("scrub").value));
  $("as-particles").onclick = () => setSurface(false);
  $("as-surface").onclick = () => setSurface(true);
  $("as-surface").disabled = run.dimension === 2;
  $("color").onchange = () => setColor($("color").value);
  $("bodies").onchange = invalidate;
  $("reset").onclick = resetView;
  $("low").onchange = $("high").onchange = setRange;
  $("auto").onclick = () => {
    state.auto = true;
    updateRange();
  };
  $("follow").onchange = () => $("follow").checked && seek(state.frames.length - 1);
  $("toggle-side").onclick = toggleSide;
  for (const name of ["plots", "parameters", "scene"]) $(`tab-${name}`).onclick = () => choosePanel(name);
  $("filter").oninput = () => {
    const words = $("filter").value.toLowerCase();
    for (const row of document.querySelectorAll("#parameters tr")) {
      row.hidden = !row.textContent.toLowerCase().includes(words);
    }
  };
  addEventListener("keydown", key);
  addEventListener("resize", invalidate);
  new ResizeObserver(invalidate).observe($("canvas"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readTheme();
    plots.forEach((plot) => plot.draw(plot.now));
    invalidate();
  });
}

function key(event) {
  const typing = event.target.matches?.("input:not([type=range], [type=checkbox]), select, textarea");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    " ": () => (state.playing ? pause() : play()),
    ArrowLeft: () => seek(state.at - (event.shiftKey ? 10 : 1)),
    ArrowRight: () => seek(state.at + (event.shiftKey ? 10 : 1)),
    Home: () => seek(0),
    End: () => seek(state.frames.length - 1),
    s: () => setSurface(!state.surface),
    b: () => $("bodies").click(),
    c: () => {
      const names = run.quantities.map((q) => q.name);
      setColor(names[(names.indexOf(state.color) + 1) % names.length]);
    },
    f: () => $("follow").click(),
    p: toggleSide,
    r: resetView,
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function toggleSide() {
  $("side").classList.toggle("hidden");
  invalidate();
}

function choosePanel(chosen) {
  for (const name of ["plots", "parameters", "scene"]) {
    $(`tab-${name}`).setAttribute("aria-selected", name === chosen);
    $(name).hidden = name !== chosen;
  }
  if (chosen === "plots") plots.forEach((plot) => plot.draw(plot.now));
}

function resetView() {
  camera.aspect = $("canvas").clientWidth / Math.max($("canvas").clientHeight, 1);
  camera.reset();
  invalidate();
}

function connectPointer() {
  const canvas = $("canvas");
  const pointers = new Map();
  const place = (event) => [event.clientX, event.clientY];
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("dragging");
    pace.dragging = true;
    pointers.set(event.pointerId, place(event));
  });
  const release = (event) => {
    pointers.delete(event.pointerId);
    if (pointers.size) return;
    canvas.classList.remove("dragging");
    pace.dragging = false;
    invalidate(); // with all particles
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (pointers.size === 2) {
      // Two fingers: their middle moves the scene, their distance zooms.
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const spread = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      camera.zoom(spread(before) / spread(now));
      camera.pan(dx / 2, dy / 2, canvas.clientHeight);
    } else if (camera.flat || event.shiftKey || event.buttons & 6) {
      camera.pan(dx, dy, canvas.clientHeight);
    } else {
      camera.turn(dx, dy);
    }
    pointers.set(event.pointerId, now);
    invalidate();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    const half = box.height / 2;
    const at = [(event.clientX - box.left - box.width / 2) / half, (half - (event.clientY - box.top)) / half];
    const amount = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
    camera.zoom(Math.exp(Math.max(-200, Math.min(200, amount)) * 0.0012), at);
    invalidate();
  }, { passive: false });
  canvas.addEventListener("dblclick", resetView);
}

// What the run does.

async function updateTables(listed) {
  for (const { name, bytes } of listed) {
    if (!tables.has(name) || bytes < tables.get(name).read) tables.set(name, new Table(name));
    if (bytes > tables.get(name).read) await tables.get(name).update();
  }
  const end = Math.max(run.duration, state.frames.length ? state.frames[state.frames.length - 1] / run.frames_per_second : 0);
  for (const content of plotsOf(tables)) {
    if (!plots.has(content.key)) plots.set(content.key, new Plot($("plots"), seekTime));
    plots.get(content.key).set(content, end);
  }
}

function showBadge(text, kind) {
  $("badge").hidden = !text;
  $("badge").textContent = text;
  $("badge").className = `badge ${kind}`;
}

/** Takes over what has changed. */
async function update({ frames, running, tables: listed }) {
  const newest = state.frames[state.frames.length - 1];
  if (frames.length && newest > frames[frames.length - 1]) store.clear(); // another run in the same place
  const grown = frames.length !== state.frames.length;
  const ended = state.running && !running;
  [state.frames, state.running] = [frames, running];
  showBadge(running ? "running" : "", "live");
  $("follow-label").style.visibility = running ? "" : "hidden";
  if (state.at >= frames.length) state.at = Math.max(frames.length - 1, 0);
  if (grown && $("follow").checked && !state.playing) state.at = frames.length - 1;
  if (grown || ended) {
    want();
    invalidate();
  }
  if (state.auto && (ended || frames.length > 1.5 * state.ranged)) await updateRange();
  await updateTables(listed);
}

async function poll() {
  for (;;) {
    await sleep(state.running ? 700 : 4000);
    if (document.hidden) continue;
    try {
      await update(await get("api/state"));
    } catch (error) {
      // The picture stays; what was fetched can still be looked at.
      console.info(error);
      showBadge("the viewer has ended", "gone");
    }
  }
}

function showParameters() {
  $("title").textContent = run.title;
  document.title = `${run.title} · Splashdown`;
  const version = run.version ? `version ${run.version}` : "";
  $("subtitle").textContent = [run.directory, run.description, version].filter(Boolean).join(" · ");
  const rows = run.parameters.map(([name, value]) => {
    const row = document.createElement("tr");
    row.append(...[name, value].map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  });
  document.querySelector("#parameters tbody").replaceChildren(...rows);
  document.querySelector("#scene pre").textContent = run.text;
  $("color").replaceChildren(...run.quantities.map((q) => new Option(q.label, q.name)));
}

async function start() {
  let first = await get("api/state");
  for (; !first.frames.length; first = await get("api/state")) {
    tell(first.running ? "waiting for the first frame …" : "This run has written no frames yet.");
    await sleep(500);
  }
  run = await get("api/run");
  tell(null);
  readTheme();
  scene = new Scene($("canvas"), run);
  camera = new Camera({ half: scene.half, up: run.up, flat: run.dimension === 2 });
  store = new Store(load);
  store.onchange = invalidate;
  showParameters();
  connectControls();
  connectPointer();
  resetView();
  if (run.fluids.length > 1) state.color = "fluid";
  $("color").value = state.color;
  $("follow").checked = first.running;
  scene.setMesh("fixed", decodeMesh(await get("api/bodies", "arrayBuffer")));
  showLegend();
  await update(first);
  // A run that is over is shown where most happens; a running one where it is.
  if (!first.running) seek(Math.floor(state.frames.length / 3));
  invalidate();
  poll();
}

start().catch((error) => {
  console.error(error);
  tell(error.message);
});

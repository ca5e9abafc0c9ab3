// The viewer in a real browser; started by test_viewer.sh.

const assert = require("node:assert");
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { chromium } = require("playwright-core");

const { BROWSER, PROGRAM } = process.env;
const pictures = process.argv[2];

const SCENE = `
title = "Browser test"
[simulation]
spacing = 0.03
duration = 0.4
[output]
frames_per_second = 50
[[fluid]]
name = "water"
[[fluid.fill]]
shape.box = { min = [0, 0, 0], max = [0.3, 0.4, 0.3] }
[[solid]]
name = "tank"
shape.tank = { min = [0, 0, 0], max = [0.9, 0.6, 0.3], open = ["top"] }
[[solid]]
name = "paddle"
shape.box = { size = [0.05, 0.2, 0.2] }
at = [0.7, 0.25, 0.15]
motion.constant = { velocity = [-0.2, 0, 0] }
[[probe]]
name = "gauge"
quantity = "level"
at = [0.1, 0, 0.1]
`;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "splashdown-viewer-"));
const children = [];

/** Starts the program and waits for the address of its viewer. */
function serve(...words) {
  const child = spawn(PROGRAM, words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  return new Promise((found, failed) => {
    let text = "";
    child.stderr.on("data", (data) => {
      text += data;
      const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
      if (address) found(address[0]);
    });
    child.on("exit", (code) => failed(new Error(`${words.join(" ")} ended with ${code}: ${text}`)));
  });
}

/** A page that remembers what went wrong on it. */
async function open(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 620 } });
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("requestfailed", (request) => page.errors.push(request.url()));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith("data:")) page.errors.push(`asks elsewhere: ${url}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.shown, null, { timeout: 60_000 });
  return page;
}

const data = (page) => page.evaluate(() => ({ ...document.body.dataset }));
const settled = (page, frame) =>
  page.waitForFunction((k) => document.body.dataset.shown.includes(`/${k}?`), frame, { timeout: 60_000 });

/** The picture as pixels, decoded by the browser itself and made small: it must cross over from there. */
async function pixels(page, name) {
  await page.waitForTimeout(300); // the frame after the one that reported itself
  const png = await page.locator("#canvas").screenshot();
  if (pictures && name) fs.writeFileSync(path.join(pictures, `${name}.png`), await page.screenshot());
  return page.evaluate(async (text) => {
    const image = new Image();
    image.src = `data:image/png;base64,${text}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [240, Math.round((240 * image.height) / image.width)];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return Array.from(data.filter((_, k) => k % 4 < 3));
  }, png.toString("base64"));
}

/** The share of pixels whose colour is clearly another one. */
function difference(a, b) {
  let changed = 0;
  for (let k = 0; k < a.length; k += 3) {
    changed += Math.abs(a[k] - b[k]) + Math.abs(a[k + 1] - b[k + 1]) + Math.abs(a[k + 2] - b[k + 2]) > 40;
  }
  return (3 * changed) / a.length;
}

/** The share of pixels that are clearly blue, as water is. */
function blue(p) {
  let count = 0;
  for (let k = 0; k < p.length; k += 3) count += p[k + 2] - p[k] > 60;
  return (3 * count) / p.length;
}

const tests = {
  async "no two ticks of a plot have the same label"(browser, address) {
    const page = await open(browser, address);
    const alike = await page.evaluate(async () => {
      const { axis } = await import("/scale.js");
      const ranges = [[0, 1], [1, 1.00001], [101325, 101325.01], [1.21e6, 1.23e6], [-3e-9, 1e-9], [5, 5], [0, 1e300]];
      for (let power = -17; power < 3; power++) ranges.push([7.3, 7.3 + 10 ** power], [-4e8, -4e8 + 4 * 10 ** (8 + power)]);
      const labels = (range) => axis(...range, 3).ticks.map(([, label]) => label);
      return ranges.filter((range) => !labels(range).length || new Set(labels(range)).size < labels(range).length);
    });
    assert.deepEqual(alike, []);
    await page.close();
  },

  async "a finished run is shown without errors"(browser, address) {
    const page = await open(browser, address);
    await page.click("#first");
    await settled(page, 0);
    const { frames, running, points } = await data(page);
    assert.deepEqual([frames, running], ["21", "false"]);
    assert.match(await page.textContent("#counter"), /frame 0 of 20/);
    assert.ok(Number(points) > 1000, points);
    const first = await pixels(page, "particles");
    assert.ok(new Set(first).size > 60, "many shades");
    assert.ok(blue(first) > 0.01, `water covers ${blue(first)}`);

    await page.locator("#scrub").fill("12");
    await settled(page, 12);
    const later = await pixels(page);
    assert.ok(difference(first, later) > 0.01, `scrubbing changes ${difference(first, later)}`);
    assert.match(await page.textContent("#stamp"), /t = 0\.240 s/);

    await page.mouse.move(400, 350);
    await page.mouse.down();
    await page.mouse.move(520, 380, { steps: 4 });
    await page.mouse.up();
    const turned = await pixels(page);
    assert.ok(difference(later, turned) > 0.01, "dragging turns the scene");
    await page.mouse.wheel(0, -400);
    const nearer = await pixels(page);
    assert.ok(difference(turned, nearer) > 0.01, "the wheel zooms");
    await page.keyboard.press("r");
    assert.ok(difference(later, await pixels(page)) < 0.002, "R shows the whole scene again");

    await page.selectOption("#color", "pressure");
    await page.waitForFunction(() => document.body.dataset.shown.endsWith("pressure"));
    assert.match(await page.textContent("#legend-title"), /pressure \(Pa\)/);
    const pressed = await pixels(page, "pressure");
    assert.ok(difference(later, pressed) > 0.01, "colours mean something else");
    await page.fill("#high", "100000");
    await page.keyboard.press("Enter");
    assert.ok(difference(pressed, await pixels(page)) > 0.005, "a wider range has other colours");

    await page.selectOption("#color", "speed");
    await page.click("#as-surface");
    await page.waitForFunction(() => document.body.dataset.shown.startsWith("surface/"), null, { timeout: 60_000 });
    assert.ok(difference(later, await pixels(page, "surface")) > 0.01, "a surface is no heap of balls");
    await page.click("#as-particles");

    assert.ok((await page.locator(".plot").count()) >= 8, "plots of log, bodies and probe");
    const titles = await page.locator(".plot h2 span:first-child").allTextContents();
    for (const title of ["energy, J", "force on tank, N", "gauge: level, m"]) assert.ok(titles.includes(title), titles.join("; "));
    await page.locator(".plot canvas").first().click({ position: { x: 60, y: 40 } });
    await page.waitForFunction(() => Number(document.body.dataset.frame) < 4); // a click on a plot goes there
    await page.click("#tab-parameters");
    assert.match(await page.textContent("#parameters"), /simulation\.spacing0\.03/);
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    await page.waitForFunction(() => Number(document.body.dataset.frame) === 20, null, { timeout: 60_000 });
    assert.deepEqual(page.errors, []);
    await page.close();
  },

  async "a run that goes on adds frames by itself"(browser) {
    const address = await serve("run", "slow.toml", "--quiet", "--threads", "1", "--out", "live", "--view", "--no-open");
    const page = await open(browser, address);
    const before = Number((await data(page)).frames);
    assert.equal(await page.textContent("#badge"), "running");
    await page.waitForFunction((n) => Number(document.body.dataset.frames) > n + 1, before, { timeout: 120_000 });
    const { frames, frame } = await data(page);
    assert.ok(Number(frame) >= Number(frames) - 2, "it follows");
    const shown = await pixels(page, "live");
    assert.ok(blue(shown) > 0.01);
    await page.waitForFunction(() => document.body.dataset.running === "false", null, { timeout: 300_000 });
    await page.waitForFunction(() => document.body.dataset.frames === "21", null, { timeout: 60_000 });
    assert.deepEqual(page.errors, []);
    await page.close();
  },

  async "a 2D run is shown, too"(browser) {
    const run = spawnSync(PROGRAM, "run dam-break-2d --until 0.1 --quiet --out flat".split(" "), { cwd: folder });
    assert.equal(run.status, 0, String(run.stderr));
    const page = await open(browser, await serve("view", "flat", "--no-open"));
    assert.ok(blue(await pixels(page, "flat")) > 0.003);
    assert.ok(await page.locator("#as-surface").isDisabled());
    assert.deepEqual(page.errors, []);
    await page.close();
  },
};

const launch = () =>
  chromium.launch({
    executablePath: BROWSER,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--no-first-run"],
  });

/** For scripts/pictures.sh: the page with frame 15 of the run in VIEWED. */
async function takePicture(file) {
  const address = await serve("view", process.env.VIEWED, "--no-open");
  const browser = await launch();
  const page = await open(browser, address);
  await page.setViewportSize({ width: 1200, height: 700 });
  if (!(await page.locator("#side").isVisible())) await page.locator("#toggle-side").click();
  await page.locator("#scrub").fill("15");
  await page.locator("#scrub").blur();
  await settled(page, 15);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: file });
  await browser.close();
  children.forEach((child) => child.kill("SIGINT"));
}

(async () => {
  if (pictures === "--picture") {
    await takePicture(process.argv[3]);
    process.exit(0);
  }
  if (pictures) fs.mkdirSync(pictures, { recursive: true });
  fs.writeFileSync(path.join(folder, "test.toml"), SCENE);
  fs.writeFileSync(path.join(folder, "slow.toml"), SCENE.replace("spacing = 0.03", "spacing = 0.013"));
  const run = spawnSync(PROGRAM, "run test.toml --quiet --out done".split(" "), { cwd: folder });
  assert.equal(run.status, 0, String(run.stderr));
  const address = await serve("view", "done", "--no-open");
  const browser = await launch();
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      const start = Date.now();
      await test(browser, address);
      console.log(`ok: ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
  }
  await browser.close();
  children.forEach((child) => child.kill("SIGINT"));
  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
})();

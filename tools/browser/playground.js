// Opens the playground, drops files on it, drags nodes onto others, and compares the bits of all world matrices with those of
// the same session outside of a browser: node playground.js PAGE SESSION FILE...

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { launch, watched } from "./browser.js";

const [path, session, ...files] = process.argv.slice(2), browser = await launch(), start = Date.now();
let [checks, failures] = [0, 0];

function check(what, holds, found = "") {
  checks++;
  if (!holds) { failures++; console.log(`FAILED: playground: ${what}. ${found}`); }
}

async function open(options, tests) {
  const { page, faults, close } = await watched(browser, options);
  await page.goto(`file://${path}`);
  await page.waitForFunction(() => picture && ticks.length > 3);
  for (const test of tests) await test(page);
  check("nothing goes wrong in the page", !faults.length, faults);
  await close();
}

/** As the native session prints them: a node a line. */
const bitsOf = page => page.evaluate(() => Array.from({ length: wasm.count() }, (_, node) =>
  [...new Uint32Array(worldOf(node).buffer)].map(x => x.toString(16).padStart(8, "0")).join(" ")));

function compare(title, bits, ...steps) {
  const expected = execFileSync(session, steps, { encoding: "utf8", maxBuffer: 1 << 28 }).trimEnd().split("\n");
  const different = bits.filter((line, node) => line !== expected[node]).length;
  check(`${title}: ${bits.length} matrices have the native run's bits`, bits.length === expected.length && !different, `${different} differ from ${expected.length}`);
}

const frames = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));

/** How many pixels are drawn. */
const drawn = page => page.evaluate(() => {
  picture.draw(NONE);
  const gl = $("meshes-view").getContext("webgl2"), [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight], pixels = new Uint8Array(4 * w * h);
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return pixels.filter(x => x > 40).length;
});

/** Drags one row of the list onto another, as a mouse does. */
async function drag(page, child, parent) {
  const to = async node => {
    const row = page.locator(`#list [data-node="${node}"] span`);
    await row.evaluate(span => span.scrollIntoView({ block: "center" }));
    const { x, y } = await row.boundingBox();
    await page.mouse.move(x + 4, y + 8, { steps: 3 });
  };
  await page.evaluate(([child, parent]) => { reveal(child); reveal(parent); showList(); }, [child, parent]);
  await to(child);
  await page.mouse.down();
  await to(parent);
  await page.mouse.up();
  await frames(page);
}

/** All entities are between the panels, but for a tenth. */
async function framed(page) {
  const inside = await page.evaluate(() => {
    const isUpright = innerWidth < 760, top = isUpright ? $("numbers").getBoundingClientRect().bottom : 0, { top: bottom } = $("bar").getBoundingClientRect();
    const left = isUpright ? 0 : $("about").getBoundingClientRect().right, places = Array.from({ length: 1000 }, (_, i) => picture.project(...worldOf(i * 10).subarray(12, 15)));
    return places.filter(([x, y]) => x > left && x < innerWidth && y > top && y < bottom).length;
  });
  check("what orbits is between the panels", inside > 900, `${inside} of 1000`);
}

async function orbits(page) {
  check("it starts with 10,000 entities that all move", await page.evaluate(() => wasm.count() === 10000 && wasm.moved() === 9999));
  check("they are drawn", await drawn(page) > 5000, await drawn(page));
  check("there are no findings", await page.textContent("#clean") === "no findings");
  await page.evaluate(async () => {
    await showOrbits(3000);
    setPlaying(false);
    for (let i = 0; i < 60; i++) { wasm.advance(0.015625); wasm.run(); }
    wasm.set_parent(7, 500);
    wasm.set_parent(44, 200);
    wasm.set_parent(2, NONE);
    for (let i = 0; i < 60; i++) { wasm.advance(0.03125); wasm.run(); }
  });
  const repeated = (step, count) => Array(count).fill([step, "run"]).flat();
  compare("orbits", await bitsOf(page), "3000", ...repeated("advance:0.015625", 60), "set_parent:7:500", "set_parent:44:200", "set_parent:2:4294967295", ...repeated("advance:0.03125", 60));
}

async function cycles(page) {
  await page.evaluate(async () => { await showOrbits(1000); setPlaying(false); opened.add(1); showList(); });
  await drag(page, 1, 2);
  check("a parent below its child is refused, with a reason", (await page.textContent("#said")).startsWith("sun 1 cannot be a child of planet 1.1"), await page.textContent("#said"));
  await page.check("#direct");
  await drag(page, 1, 2);
  await page.waitForFunction(() => $("findings").children.length === 2);
  check("one that is written all the same is found", (await page.textContent("#findings")).includes("is its own ancestor"));
  await page.uncheck("#direct");
  await drag(page, 1, 0);
  await page.waitForFunction(() => $("clean").textContent === "no findings");
}

/** A node with a parent, and another node that is not below it. */
const pair = page => page.evaluate(() => {
  const isBelow = (node, top) => { for (let n = node; n !== NONE; n = parentOf(n)) if (n === top) return true; return false; };
  const all = Array.from({ length: wasm.count() }, (_, node) => node), inner = all.filter(node => parentOf(node) !== NONE);
  const child = inner.find(node => childrenOf(node).length && node > inner.length / 2) ?? inner.at(-1);
  const parent = all.find(node => child !== undefined && node !== parentOf(child) && !isBelow(node, child));
  return child === undefined || parent === undefined ? null : [child, parent];
});

/** Drops a file on the page. */
const dropBytes = (page, title, bytes) => page.evaluate(([title, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], title));
  for (const kind of ["dragover", "drop"]) $("view").dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}, [title, bytes.toString("base64")]);

async function refusals(page) {
  for (const [text, reason] of [["no scene", "expected ident"], ['{"asset": {"version": "2.0"}}', "no nodes"]]) {
    await dropBytes(page, "broken.gltf", Buffer.from(text));
    await page.waitForFunction(() => $("said").classList.contains("bad"));
    check("a file that is no scene is refused, with a reason", (await page.textContent("#said")).includes(reason), await page.textContent("#said"));
    await page.evaluate(() => say(""));
  }
  check("and what was there goes on", await page.evaluate(() => wasm.count() > 0 && picture !== null));
}

const drop = file => async page => {
  const title = basename(file);
  await dropBytes(page, title, readFileSync(file));
  await page.waitForFunction(title => picture && shown.title === title, title);
  check(`${title} is drawn`, await drawn(page) > 500, await drawn(page));
  const length = await page.evaluate(() => { setPlaying(false); return durationOf(); }), [first, second] = [0.3 * length, 0.8 * length];
  const at = async time => { await page.evaluate(time => seek(time), time); await frames(page); };
  await at(first);
  const steps = [`pose:0:${first}`, "run"], nodes = await pair(page);
  if (nodes) {
    const place = () => page.evaluate(child => [...worldOf(child)], nodes[0]), before = await place();
    await drag(page, ...nodes);
    const after = await place(), size = Math.max(...before.map(Math.abs)), error = Math.max(...before.map((x, i) => Math.abs(x - after[i])));
    check(`${title}: the dragged node has its new parent`, await page.evaluate(([child, parent]) => parentOf(child) === parent, nodes), await page.textContent("#said"));
    check(`${title}: and stays in place`, error < 1e-4 * size, `${error} of ${size}`);
    steps.push(`set_parent:${nodes.join(":")}`, "run");
  }
  await at(second);
  compare(title, await bitsOf(page), file, ...steps, `pose:0:${second}`, "run");
};

async function fits(page) {
  const { wide, tall } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth <= innerWidth, tall: $("bar").getBoundingClientRect().bottom <= innerHeight && $("numbers").offsetHeight < innerHeight / 2 }));
  check("a phone shows all of it", wide && tall);
  await page.tap("#nodes");
  await page.tap("#walker");
  await page.waitForFunction(() => picture?.isFile);
  check("scenes are within a finger's reach, and seen when they are chosen", !await page.isVisible("#list"));
}

/** A finger taps a row, and drags one by its grip. */
async function fingers(page) {
  await page.evaluate(async () => { await showOrbits(1000); setPlaying(false); opened.add(1); showList(); });
  await page.tap("#nodes");
  await page.tap('#list [data-node="2"] span');
  check("a tap chooses a node", await page.evaluate(() => chosen === 2));
  const middle = async selector => { const { x, y, width, height } = await page.locator(selector).boundingBox(); return [{ x: x + width / 2, y: y + height / 2 }]; };
  const client = await page.context().newCDPSession(page), touch = (type, touchPoints) => client.send("Input.dispatchTouchEvent", { type, touchPoints });
  const [from, to] = [await middle('#list [data-node="2"] .grip'), await middle('#list [data-node="16"] .grip')];
  await touch("touchStart", from);
  for (const part of [0.3, 0.6, 1]) await touch("touchMove", [{ x: from[0].x, y: from[0].y + (to[0].y - from[0].y) * part }]);
  await touch("touchEnd", []);
  await frames(page);
  check("a finger drags a node onto another", await page.evaluate(() => parentOf(2) === 16), await page.textContent("#said"));
}

/** Microseconds, printed only: how fast depends on the machine. */
async function times(page) {
  for (const count of [10000, 100000]) {
    const [run, both] = await page.evaluate(count => {
      picture = null;
      wasm.orbits(count);
      const fastest = work => Math.min(...Array.from({ length: 10 }, () => { const start = performance.now(); for (let i = 0; i < 20; i++) work(); return (performance.now() - start) * 50; }));
      for (let i = 0; i < 100; i++) { wasm.advance(0.016); wasm.run(); }
      const both = fastest(() => { wasm.advance(0.016); wasm.run(); });
      return [both - fastest(() => wasm.advance(0.016)), both];
    }, count);
    console.log(`playground: ${count} entities: a tick ${run.toFixed(0)} us, with moving them ${both.toFixed(0)} us`);
  }
}

await open({ viewport: { width: 800, height: 560 } }, [framed, orbits, cycles, refusals, ...files.map(drop)]);
await open({ viewport: { width: 390, height: 844 }, hasTouch: true }, [framed, fits, fingers]);
const grounds = [];
for (const colorScheme of ["light", "dark"]) await open({ colorScheme }, [async page => grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundImage))]);
check("light and dark differ", grounds[0] !== grounds[1]);
await open({ viewport: { width: 320, height: 240 } }, [times]);
await browser.close();
console.log(`playground checks: ${checks}, ${failures} failed (${((Date.now() - start) / 1000).toFixed(1)} s)`);
process.exit(failures ? 1 : 0);

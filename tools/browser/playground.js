// Opens the playground, drops files on it, drags nodes onto others, and compares the bits of all world matrices with those of
// the same session outside of a browser: node playground.js PAGE SESSION FILE...

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { launch, watched, withoutWebGl } from "./browser.js";

const [path, session, ...files] = process.argv.slice(2), browser = await launch(), start = Date.now();
let [checks, failures] = [0, 0];

function check(what, holds, found = "") {
  checks++;
  if (!holds) { failures++; console.log(`FAILED: playground: ${what}. ${found}`); }
}

async function open(options, tests, before = null) {
  const { page, faults, close } = await watched(browser, options);
  if (before) await page.addInitScript(before);
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
  picture.choose(-1);
  picture.draw();
  const gl = $("meshes-view").getContext("webgl2"), [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight], pixels = new Uint8Array(4 * w * h);
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return pixels.filter(x => x > 40).length;
});

/** Drags one row of the list onto another, or onto the world's, as a mouse does. */
async function drag(page, child, parent) {
  const to = async node => {
    const row = page.locator(node < 0 ? "#world" : `#list [data-node="${node}"]`);
    await row.evaluate(row => row.scrollIntoView({ block: "center" }));
    const { x, y, width, height } = await row.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 3 });
  };
  await page.evaluate(nodes => nodes.forEach(node => picture.reveal(node)), [child, parent].filter(node => node >= 0));
  await to(child);
  await page.mouse.down();
  await to(parent);
  await page.mouse.up();
  await frames(page);
}

/** All entities are between the panels, but for a tenth; and the panels are on the screen, above the bar. */
async function framed(page) {
  const { inside, outside } = await page.evaluate(() => {
    const at = id => $(id).getBoundingClientRect(), isUpright = innerWidth < 760, top = isUpright ? at("numbers").bottom : 0, right = isUpright ? innerWidth : at("numbers").left;
    const bottom = at("bar").top, left = $("about").offsetParent ? at("about").right : 0, places = Array.from({ length: 1000 }, (_, i) => picture.project(...worldOf(i * 10).subarray(12, 15)));
    return {
      inside: places.filter(([x, y]) => x > left && x < right && y > top && y < bottom).length,
      outside: ["numbers", "about", "bar"].filter(id => $(id).offsetParent && (at(id).left < 0 || at(id).top < 0 || at(id).right > innerWidth || at(id).bottom > (id === "bar" ? innerHeight : bottom))),
    };
  });
  check("orbits are between the panels", inside > 900, `${inside} of 1000`);
  check("the panels are on the screen", !outside.length, outside);
}

async function orbits(page) {
  check("it starts with 10,000 entities that all move", await page.evaluate(() => wasm.count() === 10000 && wasm.moved() === 9999));
  check("they are drawn", await drawn(page) > 5000, await drawn(page));
  check("there are no findings", await page.textContent("#clean") === "no findings");
  await page.evaluate(async () => {
    await showOrbits(3000);
    picture.setPlaying(false);
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
  await page.evaluate(async () => { await showOrbits(1000); picture.setPlaying(false); });
  await drag(page, 1, 2);
  check("a parent below its child is refused, with a reason", (await page.textContent("#said")).startsWith("sun 1 cannot be a child of planet 1.1"), await page.textContent("#said"));
  await page.check("#direct");
  await drag(page, 1, 2);
  await page.waitForFunction(() => $("findings").children.length === 2);
  check("one that is written all the same is found", (await page.textContent("#findings")).includes("is its own ancestor"));
  const rows = await page.evaluate(() => [1, 2].map(node => $("list").querySelectorAll(`[data-node="${node}"]`).length));
  check("and has a row a node", rows.join() === "1,1", rows);
  await page.uncheck("#direct");
  await drag(page, 1, 0);
  await page.waitForFunction(() => $("clean").textContent === "no findings");
  await drag(page, 2, -1);
  check("a node that is dragged onto the world has no parent", await page.evaluate(() => parentOf(2) === NONE));
  await page.click("#reset");
  await page.waitForFunction(() => picture && parentOf(2) === 1);
  check("a reset is the scene as it was at first", await page.evaluate(() => wasm.count() === 1000 && parentOf(1) === 0 && picture.scene.parents[2] === 1));
}

/** A node with a parent, and another node that is not below it. */
const pair = page => page.evaluate(() => {
  const isBelow = (node, top) => { for (let n = node; n !== NONE; n = parentOf(n)) if (n === top) return true; return false; };
  const all = Array.from({ length: wasm.count() }, (_, node) => node), inner = all.filter(node => parentOf(node) !== NONE);
  const child = inner.find(node => childrenOf(node).length && node > inner.length / 2) ?? inner.at(-1);
  const parent = all.find(node => child !== undefined && node !== parentOf(child) && !isBelow(node, child));
  return child === undefined || parent === undefined ? null : [child, parent];
});

/** Drops files on the page, each a name and its bytes, in this order. */
const dropFiles = (page, ...files) => page.evaluate(files => {
  const data = new DataTransfer();
  for (const [title, bytes] of files) data.items.add(new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], title));
  for (const kind of ["dragover", "drop"]) $("view").dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}, files.map(([title, bytes]) => [title, bytes.toString("base64")]));

async function refusals(page) {
  for (const [text, reason] of [["no scene", "expected ident"], ['{"asset": {"version": "2.0"}}', "no nodes"]]) {
    await dropFiles(page, ["broken.gltf", Buffer.from(text)]);
    await page.waitForFunction(() => $("said").classList.contains("bad"));
    check("a file that is no scene is refused, with a reason", (await page.textContent("#said")).includes(reason), await page.textContent("#said"));
    await page.evaluate(() => say(""));
  }
  await dropFiles(page, ["parts.bin", Buffer.from("1234")]);
  await page.waitForFunction(() => $("said").classList.contains("bad"));
  check("a buffer alone is refused, with the remedy", (await page.textContent("#said")).includes("together with its .bin"), await page.textContent("#said"));
  await page.evaluate(() => say(""));
  check("and what was there goes on", await page.evaluate(() => wasm.count() > 0 && picture !== null));
}

const drop = file => async page => {
  const title = basename(file);
  await dropFiles(page, [title, readFileSync(file)]);
  await page.waitForFunction(name => picture && title === name, title);
  check(`${title} is drawn`, await drawn(page) > 500, await drawn(page));
  const length = await page.evaluate(() => { picture.setPlaying(false); return picture.duration(); }), [first, second] = [0.3 * length, 0.8 * length];
  const at = async time => { await page.evaluate(time => picture.seek(time), time); await frames(page); };
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

/** A scene whose buffer lies beside it: dropped together in either order it has the native run's bits; without the buffer, the page names it. */
async function parts(page) {
  const folder = mkdtempSync(join(tmpdir(), "playground-")), scene = JSON.parse(readFileSync(files[0])), [, data] = scene.buffers[0].uri.split(",");
  scene.buffers[0].uri = "its%20parts.bin";
  const both = [["apart.gltf", Buffer.from(JSON.stringify(scene))], ["its parts.bin", Buffer.from(data, "base64")]];
  both.forEach(([name, bytes]) => writeFileSync(join(folder, name), bytes));
  for (const order of [both, [...both].reverse()]) {
    await page.evaluate(() => showOrbits(10));
    await dropFiles(page, ...order);
    await page.waitForFunction(() => picture?.isFile && title === "apart.gltf");
    await page.evaluate(() => { picture.setPlaying(false); picture.seek(0.5); });
    await frames(page);
    compare(order.map(([name]) => name).join(", then "), await bitsOf(page), join(folder, "apart.gltf"), "pose:0:0.5", "run");
    check("nothing is missing", await page.textContent("#clean") === "no findings", await page.textContent("#findings"));
  }
  await dropFiles(page, both[0]);
  await page.waitForFunction(() => !$("findings").hidden);
  check("a scene without its buffer says what is missing", (await page.textContent("#findings")).includes("its parts.bin was not dropped with it"), await page.textContent("#findings"));
  rmSync(folder, { recursive: true });
  await page.evaluate(() => showOrbits(10));
  await page.evaluate(async files => {
    // As a browser gives a dropped folder with a folder in it.
    const entries = files.map(([name, bytes]) => ({ isFile: true, file: done => done(new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], name)) }));
    const below = list => ({ isDirectory: true, createReader: () => { const parts = [list, []]; return { readEntries: done => done(parts.shift()) }; } });
    await takeFiles(await filesOf({ items: [{ webkitGetAsEntry: () => below([entries[0], below([entries[1]])]) }], files: [] }));
  }, both.map(([name, bytes]) => [name, bytes.toString("base64")]));
  check("a dropped folder is searched for the scene and its parts", await page.evaluate(() => picture?.isFile && title === "apart.gltf" && wasm.findings() === 0));
}

/** The inspector of what orbits: its numbers are those of the last run, and the viewer's keys. */
async function inspects(page) {
  await page.evaluate(async () => { await showOrbits(1000); picture.reveal(3); });
  await page.locator('#list [data-node="3"]').click();
  const playing = () => page.evaluate(() => picture.state.playing), before = await playing();
  await page.keyboard.press("Space");
  check("Space plays or pauses after a row was clicked", await playing() !== before && await page.evaluate(() => picture.state.node === 3));
  await page.evaluate(() => picture.setPlaying(false));
  await frames(page);
  const told = () => page.evaluate(() => ({ name: document.querySelector("#info h2").textContent, cells: [...document.querySelectorAll("#matrix td")].map(td => Number(td.textContent)), is: [...worldOf(3)] }));
  const agrees = ({ cells, is }) => cells.length === 16 && cells.every((x, i) => Math.abs(x - is[4 * (i % 4) + Math.floor(i / 4)]) < 1e-3 * Math.max(1, Math.abs(x)));
  const first = await told();
  check("the inspector has the matrix of the run", first.name === "moon 1.1.1" && agrees(first), JSON.stringify(first));
  await page.focus("#view");
  await page.keyboard.press(".");
  await frames(page);
  const second = await told();
  check("a full stop steps on, and the numbers follow", agrees(second) && second.cells.some((x, i) => x !== first.cells[i]) && !(await playing()), JSON.stringify(second));
  const links = await page.locator("#info dl button").allTextContents();
  check("it leads to the parent and the children", links.join() === "planet 1.1,probe 1.1.1.1", links);
  await page.locator("#info dl button").first().click();
  check("a click on them goes there", await page.evaluate(() => picture.state.node === 2));
  const camera = () => page.evaluate(() => [...picture.camera.target, picture.camera.distance, picture.camera.yaw]), far = await camera();
  await page.focus("#view");
  await page.keyboard.press("f");
  await frames(page);
  const near = await camera(), [x, y] = await page.evaluate(() => picture.project(...worldOf(2).subarray(12, 15)));
  const room = await page.evaluate(() => ["about", "info", "bar"].map(id => $(id).getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })));
  check("F frames it between the panels", near[3] < far[3] / 3 && x > room[0].right && x < room[1].left && y > 0 && y < room[2].top, JSON.stringify([far, near, x, y, room]));
  await page.evaluate(() => { wasm.advance(0.5); });
  await frames(page);
  const [nextX, nextY] = await page.evaluate(() => picture.project(...worldOf(2).subarray(12, 15)));
  check("and the camera goes with it", Math.hypot(nextX - x, nextY - y) < 1, `${nextX - x}, ${nextY - y}`);
  await page.keyboard.press("ArrowLeft");
  check("arrows orbit", (await camera())[4] !== near[4]);
  await page.keyboard.press("Escape");
  check("Escape lets go", !(await page.isVisible("#info")) && await page.evaluate(() => picture.state.node === -1));
  await page.fill("#filter", "zebra");
  check("an empty search says so", await page.isVisible("#none") && (await page.textContent("#none")).includes("zebra"));
  await page.fill("#filter", "moon 3.");
  check("and one that finds has its rows", await page.locator("#list li").count() === await page.evaluate(() => picture.scene.names.filter(name => name.includes("moon 3.")).length));
  await page.fill("#filter", "");
  await page.evaluate(() => { $("view").focus(); });
  await page.keyboard.press("f");
}

/** A double click on a light frames it. */
async function doubleClicks(page) {
  await page.evaluate(async () => { await showOrbits(1000); picture.setPlaying(false); });
  await frames(page);
  const [node, ...place] = await page.evaluate(() => {
    for (let node = 1; node < wasm.count(); node++) {
      const [x, y] = picture.project(...worldOf(node).subarray(12, 15));
      if (document.elementFromPoint(x, y) === $("view") && picture.lightNear(Math.round(x), Math.round(y)) === node) return [node, Math.round(x), Math.round(y)];
    }
  });
  const far = await page.evaluate(() => picture.camera.distance);
  await page.mouse.click(...place);
  check("a click chooses a light", await page.evaluate(() => picture.state.node) === node);
  await page.waitForTimeout(500);
  await page.mouse.click(...place, { clickCount: 2 });
  await frames(page);
  check("a double click frames it", await page.evaluate(() => picture.state.node) === node && await page.evaluate(() => picture.camera.distance) < far / 2);
}

/** The graphics card may be taken away and given back while lights are drawn. */
async function loss(page) {
  await page.evaluate(async () => { await showOrbits(1000); picture.setPlaying(false); });
  await frames(page);
  const before = await drawn(page);
  await page.evaluate(() => { globalThis.loss = $("meshes-view").getContext("webgl2").getExtension("WEBGL_lose_context"); loss.loseContext(); });
  await page.waitForFunction(() => $("meshes-view").getContext("webgl2").isContextLost());
  await frames(page);
  await page.evaluate(() => loss.restoreContext());
  await page.waitForFunction(() => !$("meshes-view").getContext("webgl2").isContextLost());
  await frames(page);
  const after = await drawn(page);
  check("lights come back after the graphics card was lost", before > 1000 && after === before, `${before}, ${after}`);
}

/** The inspector of a low screen, and of an upright phone, lies beside the numbers and above the bar, with the whole matrix. */
async function sheet(page) {
  await page.evaluate(async () => { await showOrbits(1000); picture.setPlaying(false); picture.choose(3); });
  await frames(page);
  const seen = await page.evaluate(() => {
    const at = e => e.getBoundingClientRect(), [info, numbers, bar] = ["info", "numbers", "bar"].map(id => at($(id)));
    const shows = e => { const { left, right, top, bottom } = at(e); return e.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)); };
    return {
      inside: info.left >= 0 && info.right <= innerWidth && info.bottom <= bar.top, apart: info.top >= numbers.bottom || info.left >= numbers.right,
      whole: [...document.querySelectorAll("#matrix td, #numbers dd, #info h2")].every(shows),
      picture: (innerWidth - (info.width < innerWidth / 2 ? info.width : 0)) * (bar.top - (info.width < innerWidth / 2 ? 0 : numbers.bottom + innerHeight - info.top)) / (innerWidth * innerHeight),
    };
  });
  check("the inspector lies beside the numbers, above the bar", seen.inside && seen.apart, JSON.stringify(seen));
  check("its matrix and the numbers are whole", seen.whole, JSON.stringify(seen));
  await page.evaluate(() => { picture.choose(-1); });
}

/** Without WebGL 2: lights and boxes are drawn in two dimensions, and the page says so. */
async function flat(page) {
  const inked = () => page.evaluate(() => {
    picture.choose(-1); picture.setPlaying(false); picture.draw();
    const { width, height } = $("view"), { data } = $("view").getContext("2d").getImageData(0, 0, width, height);
    return data.filter((x, i) => i % 4 === 3 && x > 40).length;
  });
  check("there is no WebGL 2", await page.evaluate(() => !picture.hasMeshes()));
  check("orbits are drawn all the same", await inked() > 2000, await inked());
  check("and the page says how", (await page.textContent("#stats")).includes("without WebGL 2"), await page.textContent("#stats"));
  await page.click("#walker");
  await page.waitForFunction(() => picture?.isFile);
  await page.evaluate(() => { $("bones").checked = false; $("ground").checked = false; });
  check("boxes stand for meshes", await inked() > 5000 && (await page.textContent("#stats")).includes("without WebGL 2 boxes and bones stand for meshes"), await inked());
}

async function fits(page) {
  const { wide, tall } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth <= innerWidth, tall: $("bar").getBoundingClientRect().bottom <= innerHeight && $("numbers").offsetHeight < innerHeight / 2 }));
  check("a phone shows all of it", wide && tall);
  await page.tap("#nodes");
  const { list, above } = await page.evaluate(() => ({ list: $("list").clientHeight, above: $("about").getBoundingClientRect().bottom <= $("bar").getBoundingClientRect().top }));
  check("the scenes and the list lie above the bar", above && list >= 88, list);
  await page.tap("#walker");
  await page.waitForFunction(() => picture?.isFile);
  check("scenes are within a finger's reach, and seen when they are chosen", !await page.isVisible("#list"));
}

/** A finger taps a row, and drags one by its grip. */
async function fingers(page) {
  await page.evaluate(async () => { await showOrbits(1000); picture.setPlaying(false); });
  await page.tap("#nodes");
  await page.tap('#list [data-node="2"] .grip ~ *, #list [data-node="2"] b');
  check("a tap chooses a node, and shows it", await page.evaluate(() => picture.state.node === 2) && !await page.isVisible("#list"));
  await page.evaluate(() => { picture.choose(-1); picture.showNodes(true); picture.reveal(2); $("list").querySelector('[data-node="2"]').scrollIntoView(); });
  const middle = async selector => { const { x, y, width, height } = await page.locator(selector).boundingBox(); return [{ x: x + width / 2, y: y + height / 2 }]; };
  const client = await page.context().newCDPSession(page), touch = (type, touchPoints) => client.send("Input.dispatchTouchEvent", { type, touchPoints });
  const other = await page.evaluate(() => { const list = $("list").getBoundingClientRect(); return [...$("list").querySelectorAll("[data-node]")].filter(li => { const r = li.getBoundingClientRect(); return r.top >= list.top && r.bottom <= list.bottom; }).map(li => Number(li.dataset.node)).findLast(node => parentOf(node) === 2 ? false : node > 2); });
  const [from, to] = [await middle('#list [data-node="2"] .grip'), await middle(`#list [data-node="${other}"] .grip`)];
  await touch("touchStart", from);
  for (const part of [0.3, 0.6, 1]) await touch("touchMove", [{ x: from[0].x, y: from[0].y + (to[0].y - from[0].y) * part }]);
  await touch("touchEnd", []);
  await frames(page);
  check("a finger drags a node onto another", await page.evaluate(other => parentOf(2) === other, other), await page.textContent("#said"));
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

await open({ viewport: { width: 800, height: 560 } }, [framed, orbits, cycles, refusals, ...files.map(drop), parts]);
await open({ viewport: { width: 1280, height: 800 } }, [framed, inspects, doubleClicks, loss]);
await open({ viewport: { width: 390, height: 844 }, hasTouch: true }, [framed, sheet, fits, fingers]);
await open({ viewport: { width: 1280, height: 480 }, hasTouch: true }, [framed, sheet, fits]);
await open({ viewport: { width: 800, height: 560 } }, [flat], withoutWebGl);
const grounds = [];
for (const colorScheme of ["light", "dark"]) await open({ colorScheme }, [async page => grounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundImage))]);
check("light and dark differ", grounds[0] !== grounds[1]);
await open({ viewport: { width: 320, height: 240 } }, [times]);
await browser.close();
console.log(`playground checks: ${checks}, ${failures} failed (${((Date.now() - start) / 1000).toFixed(1)} s)`);
process.exit(failures ? 1 : 0);

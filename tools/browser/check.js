// Opens every page of a folder and says what does not hold. `NAME.html` is the page of the scene `NAME` beside it. Where there
// is none, it is a film: its example has checked the matrices, and its boxes may cut into each other, so pixels are not judged.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { launch, open, withoutWebGl } from "./browser.js";
import * as controls from "./controls.js";
import * as drawing from "./drawing.js";
import * as folding from "./folding.js";
import * as inspector from "./inspector.js";

const folder = process.argv[2], browser = await launch();
let [checks, failures] = [0, 0];

/** Opens a page, runs the tests, and closes it. */
async function on(path, title, options, before, tests) {
  const check = (what, holds, found = "") => {
    checks++;
    if (!holds) { failures++; console.log(`FAILED: ${title}: ${what}. ${found}`); }
  };
  const opened = await open(browser, path, options, before);
  for (const test of tests) await test(opened, check);
  check("nothing goes wrong in the page", !opened.faults.length, opened.faults);
  await opened.close();
}

async function flat({ page }, check) {
  // Those that do not lie behind the eye.
  const { hasGl, boxes, nodes } = await page.evaluate(() => { setPlaying(false); draw(); return { hasGl: gl !== null, boxes: faces.length, nodes: drawnBoxes().filter(({ corners }) => corners.every(corner => project(...corner)[2] > eye.near)).length }; });
  check("boxes stand for meshes without WebGL 2", !hasGl && boxes === 6 * nodes, `${boxes} faces of ${nodes} boxes`);
  check("bones are shown", await page.isChecked("#bones"));
}

const ground = ({ page }) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

for (const name of readdirSync(folder).filter(name => name.endsWith(".html"))) {
  const path = join(folder, name), scene = name.slice(0, -".html".length), start = Date.now(), before = failures;
  if (scene === "empty.gltf") {
    await on(path, scene, {}, null, [async ({ page }, check) => check("an empty page says so", (await page.textContent("#stats")) === "no nodes")]);
    continue;
  }
  const file = join(folder, scene), isFilm = !existsSync(file);
  const ofFile = tests => isFilm ? [] : tests;
  const all = [
    ...ofFile([(opened, check) => drawing.matrices(opened, file, check)]),
    controls.playing, controls.tree, controls.clicking, controls.doubleClicks, controls.search, controls.names, controls.seen, folding.folds,
    inspector.legend, inspector.ground, inspector.copy, inspector.wide, inspector.sights, inspector.panel, inspector.onePicture, controls.dropping, ...(isFilm ? [controls.looking] : []),
    ...ofFile([(opened, check) => inspector.numbers(opened, file, check)]),
  ];
  await on(path, scene, {}, null, all);
  await on(path, scene, { viewport: { width: 480, height: 400 } }, null, [...ofFile([drawing.pixels]), drawing.colors, drawing.loss]);
  await on(path, `${scene}, upright phone`, { viewport: { width: 390, height: 844 }, hasTouch: true }, null, [controls.fits, inspector.panel, inspector.sheet, controls.doubleClicks, controls.search, ...(isFilm ? [controls.looking] : [])]);
  await on(path, `${scene}, between both`, { viewport: { width: 661, height: 661 } }, null, [inspector.panel]);
  await on(path, `${scene}, lying phone`, { viewport: { width: 844, height: 390 }, hasTouch: true }, null, [controls.fits, inspector.sheet, controls.doubleClicks, controls.search, ...(isFilm ? [controls.looking] : [])]);
  await on(path, `${scene}, without WebGL 2`, {}, withoutWebGl, [flat, controls.tree]);
  const colors = [];
  for (const colorScheme of ["light", "dark"]) await on(path, scene, { colorScheme }, null, [async opened => colors.push(await ground(opened))]);
  checks++;
  if (colors[0] === colors[1]) { failures++; console.log(`FAILED: ${scene}: light and dark differ. ${colors}`); }
  console.log(`${scene}: ${failures === before ? "holds" : `${failures - before} failures`} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}
await browser.close();
console.log(`browser checks: ${checks}, ${failures} failed`);
process.exit(failures ? 1 : 0);

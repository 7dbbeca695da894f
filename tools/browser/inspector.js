// What the page says about the chosen node, and about its signs; its ground.

import { readScene } from "./pose.js";
import { isBesidePanels } from "./controls.js";
import { loadJudge } from "./drawing.js";

/** A node chosen in the list of a phone is told about at once, below or beside its picture, and the list comes back. */
export async function sheet({ page }, check) {
  await page.evaluate(() => setPlaying(false));
  await page.click("#nodes");
  await page.locator("#list [data-node]").last().click();
  const seen = await page.evaluate(() => {
    draw();
    const at = e => e.getBoundingClientRect(), info = at($("info")), { left, right, top, bottom } = clearing(true), [x, y] = points[state.node];
    const shows = e => { const { left, right, top, bottom } = at(e); return e.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)); };
    return {
      inside: info.left >= 0 && info.right <= innerWidth && info.top >= 0 && info.bottom <= at($("bar")).top, name: shows(document.querySelector("#info h2")),
      matrix: [...document.querySelectorAll("#matrix td")].every(td => shows(td) && at(td).bottom <= info.bottom && td.scrollWidth <= td.clientWidth),
      picture: document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === canvas && (right - left) * (bottom - top) > 0.45 * innerWidth * innerHeight,
      place: [left, x, right, top, y, bottom],
    };
  });
  check("the inspector of a node of the list lies before the page", seen.inside && seen.name, JSON.stringify(seen));
  check("its matrix is whole", seen.matrix, JSON.stringify(seen));
  check("and the picture is seen beside it", seen.picture, JSON.stringify(seen));
  await page.click("#more");
  check("more of it is shown on demand, and does not leave the screen", await page.isVisible("#parts") && await page.evaluate(() => $("info").getBoundingClientRect().top >= 0));
  await page.click("#more");
  await page.click("#nodes");
  await shown(page, check);
  await page.click("#info .close");
  check("the inspector can be closed", !(await page.isVisible("#info")) && await page.isVisible("#list"));
  await page.locator("#list [data-node]").first().click();
  check("the picture is where the panel leaves room", await page.evaluate(() => { updateEye(); const { top } = $("info").getBoundingClientRect(); return eye.y < top || $("info").offsetLeft > width / 2; }));
  await page.click("#info .near");
  check("its button frames it beside the panel", await isBesidePanels(page));
  await page.click("#nodes");
  await page.evaluate(() => focusNode(state.node));
  await page.keyboard.press("Escape");
  check("Escape closes the inspector before the list", !(await page.isVisible("#info")) && await page.isVisible("#list"));
  await page.click("#nodes");
}

/** The list is open beside the inspector. */
async function shown(page, check) {
  const seen = await page.evaluate(() => {
    const at = e => e.getBoundingClientRect(), row = itemOf(state.node), list = at($("list")), middle = at(row).top + at(row).height / 2;
    return {
      row: row.contains(document.elementFromPoint(list.left + 40, middle)) && at(row).bottom <= list.bottom + 1 && at(row).top >= list.top - 1,
      wide: document.documentElement.scrollWidth <= innerWidth && $("info").scrollWidth <= $("info").clientWidth,
      small: [...document.querySelectorAll("#info button, #bar :is(button, select, label), #about :is(input, summary), #list li")]
        .filter(e => e.offsetParent && (at(e).height < 43.5 || e.matches("button, select") && !e.matches(".link") && at(e).width < 43.5)).map(e => e.id || e.textContent),
    };
  });
  check("the chosen row is seen beside it", seen.row);
  check("nothing is wider than the screen", seen.wide);
  check("everything can be hit with a finger", !seen.small.length, seen.small);
}

/** Numbers of any size stand within the panel: a column is never cut. */
export async function wide({ page }, check) {
  const { widths, cut } = await page.evaluate(() => {
    setPlaying(false); choose(0); showMore(true);
    state.matrices = state.matrices.map((x, i) => i % 12 > 8 ? -123456789 - i : -1234567.8);
    showNumbers();
    const result = { widths: [$("info").scrollWidth, $("info").clientWidth], cut: [...document.querySelectorAll("#info td")].filter(td => td.scrollWidth > td.clientWidth).length };
    current().matrices = null;
    return result;
  });
  check("large numbers are as wide as the panel at most", widths[0] <= widths[1] && !cut, widths);
  await page.evaluate(async () => { await chooseClip(state.clip); choose(-1); showMore(false); });
}

/** The text that the button copies, with the clipboard and without leave to use it. */
export async function copy({ page }, check) {
  const { copied, words, expected } = await page.evaluate(async () => {
    setPlaying(false); choose(count - 1);
    const copied = [], words = [], clipboard = navigator.clipboard, button = () => [...document.querySelectorAll("#info p button")][0];
    const press = async () => { button().click(); await new Promise(done => setTimeout(done, 100)); words.push(button().textContent); };
    const use = writeText => Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
    use(async text => { copied.push(text); });
    await press();
    use(async () => { throw new Error("not allowed"); });
    const listen = () => copied.push(document.activeElement.value);
    addEventListener("copy", listen);
    await press();
    removeEventListener("copy", listen);
    Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
    const o = at(state.node), rows = [0, 1, 2].map(r => [0, 1, 2, 3].map(c => state.matrices[o + 3 * c + r]));
    return { copied, words, expected: [...rows, [0, 0, 0, 1]].flat() };
  });
  for (const text of copied) {
    const [head, ...lines] = text.trim().split("\n"), numbers = lines.join(" ").split(",").map(x => Math.fround(Number(x)));
    check("the matrix is copied bit by bit", head.startsWith("// LocalToWorld of ") && numbers.length === 16 && numbers.every((x, i) => Object.is(x + 0, expected[i] + 0)), text);
    check("as Rust takes it", lines.join(" ").split(",").every(x => /^\s*-?\d+(\.\d+)?(e-?\d+)?$/.test(x) && /[.e]/.test(x)), text);
  }
  check("by both ways", copied.length === 2 && words.every(word => word === "copied"), words);
  await page.evaluate(() => choose(-1));
}

const product = (a, b) => a.map((_, r) => b[0].map((_, c) => b.reduce((sum, row, k) => sum + a[r][k] * row[c], 0)));

/** Rows of the matrix of rotations about the fixed axes z, then x, then y. */
function turned(degrees) {
  const [[sx, cx], [sy, cy], [sz, cz]] = degrees.map(x => [Math.sin(x * Math.PI / 180), Math.cos(x * Math.PI / 180)]);
  const [x, y, z] = [[[1, 0, 0], [0, cx, -sx], [0, sx, cx]], [[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]], [[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]]];
  return product(y, product(x, z));
}

function rotated([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
  ];
}

/** The matrix, row by row, of three lines of the panel. */
function composed([, rotation, scale]) {
  return turned(rotation.map(Number)).map(row => row.map((x, i) => x * Number(scale[i])));
}

/** The panel's local numbers are the file's; its world numbers make the world matrix. */
export async function numbers({ page }, path, check) {
  const { json } = readScene(path), off = (a, b) => Math.max(...a.flat().map((x, i) => Math.abs(x - b.flat()[i])));
  await page.evaluate(async () => { setPlaying(false); await chooseClip(scene.clips.length - 1); });
  const nodes = await page.evaluate(() => order.filter((_, i) => i % Math.ceil(count / 25) === 0));
  for (const node of nodes) {
    const { name, local, world, matrix, title } = await page.evaluate(node => {
      choose(node);
      const lines = space => [...document.querySelectorAll(`#parts .${space} tr`)].slice(1).map(tr => [...tr.cells].slice(1).map(td => td.textContent));
      const o = at(node), column = [0, 1, 2].map(r => [0, 1, 2].map(c => state.matrices[o + 3 * c + r]));
      return { name: scene.names[node], local: lines("local"), world: lines("world"), matrix: column, title: document.querySelector("#parts .world th").textContent };
    }, node);
    const given = json.nodes[node], { translation: t = [0, 0, 0], rotation: q = [0, 0, 0, 1], scale: s = [1, 1, 1] } = given, length = Math.hypot(...q);
    if (!given.matrix && s.every(x => x)) {
      const expected = rotated(q.map(x => x / length)).map(row => row.map((x, i) => x * s[i])), largest = Math.max(...s.map(Math.abs));
      check(`the local numbers of ${name} are the file's`, off([local[0].map(Number)], [t]) < 2e-3 && off(composed(local), expected) < 2e-3 * largest, JSON.stringify({ local, t, q, s }));
    }
    if (title === "world") check(`the world numbers of ${name} make its matrix`, off(composed(world), matrix) < 2e-3 * Math.max(...world[2].map(x => Math.abs(x))), JSON.stringify({ world, matrix }));
  }
  await page.evaluate(() => choose(-1));
}

export async function legend({ page }, check) {
  await page.click("#legend summary");
  const { shown, used } = await page.evaluate(() => ({ shown: $("signs").innerText, used: [...new Set(scene.kinds)].map(kind => KIND[kind]) }));
  check("the legend has every sign of the list", used.length > 0 && used.every(([name, sign]) => shown.includes(name) && shown.includes(sign)), shown);
  check("beside the list", await page.evaluate(() => $("legend").getBoundingClientRect().bottom <= $("about").getBoundingClientRect().bottom && $("list").clientHeight >= 60));
  await page.click("#legend summary");
}

/** At the lowest point of what is framed, and only while it is wanted. */
export async function ground({ page }, check) {
  await loadJudge(page);
  const { lowest, level, lines } = await page.evaluate(() => { frameAll(); return { lowest: Math.min(...framed().points.map(p => p[1])), level: floor, lines: gridLines() }; });
  check("the ground is where the lowest point is", lowest === level && lines.length > 0 && lines.every(p => p[1] === level), `${level}, ${lowest}`);
  const inked = () => page.evaluate(() => {
    setPlaying(false); $("meshes").checked = false; draw();
    const pixels = new Uint8Array(4 * glCanvas.width * glCanvas.height);
    gl.readPixels(0, 0, glCanvas.width, glCanvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    $("meshes").checked = true;
    return pixels.some(x => x);
  });
  const before = await inked();
  await page.click("#ground");
  const after = await inked();
  await page.click("#ground");
  check("it is drawn, and can be switched off", before && !after, `${before}, ${after}`);
  const [over, under] = await page.evaluate(() => {
    const lowest = () => {
      frameAll();
      const heights = [() => turn(0, -9), () => zoom(40), () => pan(0, -5000), () => turn(0, -9), () => zoom(0.01)].map(move => { move(); updateEye(); return eyePosition()[1] - floor; });
      return Math.min(...heights);
    };
    const first = lowest();
    $("ground").checked = false;
    const second = lowest();
    $("ground").checked = true;
    frameAll();
    return [first, second];
  });
  check("the camera stays above it, while it is drawn", over >= 0 && under < 0, `${over}, ${under}`);
}

/** What a camera sees and how a light shines stands in the inspector. */
export async function sights({ page }, check) {
  const shown = await page.evaluate(() => scene.sights?.map(([node, what, text]) => { choose(node); return $("info").innerText.includes(text) && KIND[scene.kinds[node]][0] === what; }) ?? []);
  check("cameras and lights are described", shown.every(x => x), shown);
  check("of which a scene has some", await page.evaluate(() => scene.title !== "still.gltf") || shown.length === 2, shown);
  await page.evaluate(() => choose(-1));
}

/** What is folded in the list's panel can all be opened, and stays in the panel. */
export async function panel({ page }, check) {
  const wasOpen = await page.isVisible("#list");
  if (!wasOpen) await page.click("#nodes");
  const { outside, narrow, list } = await page.evaluate(() => {
    const folds = [...document.querySelectorAll("#about details")].filter(e => e.offsetParent);
    for (const fold of folds) fold.open = true;
    const box = $("about").getBoundingClientRect(), parts = [...$("about").children].filter(e => e.offsetParent);
    const result = {
      outside: parts.filter(e => e.getBoundingClientRect().bottom > box.bottom || e.getBoundingClientRect().right > box.right).map(e => e.id || e.innerText.slice(0, 20)),
      narrow: folds.filter(e => e.scrollWidth > e.clientWidth || e.clientHeight < 20).map(e => e.innerText.slice(0, 20)), list: $("list").clientHeight,
    };
    for (const fold of folds) fold.open = false;
    return result;
  });
  check("the help stays in its panel", !outside.length && !narrow.length && list >= 60, JSON.stringify([outside, narrow, list]));
  if (!wasOpen) await page.click("#nodes");
}

/** Meshes and what is drawn over them are one picture, so that they are of one frame. */
export async function onePicture({ page }, check) {
  const result = await page.evaluate(() => {
    setPlaying(false); choose(-1);
    const ticks = ["bones", "axes", "names"].map(id => [id, $(id).checked]);
    for (const [id] of ticks) $(id).checked = false;
    draw();
    const [w, h] = [glCanvas.width, glCanvas.height], drawn = new Uint8Array(4 * w * h), seen = pen.getImageData(0, 0, w, h).data;
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, drawn);
    let [covered, different] = [0, 0];
    for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
      const a = 4 * ((h - 1 - y) * w + x), b = 4 * (y * w + x);
      if (drawn[a + 3] === 255) { covered++; different += [0, 1, 2].some(i => Math.abs(drawn[a + i] - seen[b + i]) > 2); }
    }
    for (const [id, isOn] of ticks) $(id).checked = isOn;
    return { covered, different, shown: getComputedStyle(glCanvas).display, meshes: drawnBoxes().length };
  });
  check("meshes are part of the picture that bones are drawn on", result.shown === "none" && !result.different && (result.covered > 0 || !result.meshes), JSON.stringify(result));
}

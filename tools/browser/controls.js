// The page answers to mouse and keyboard, fits on a phone, and knows what it has nothing to play for.

import { loadJudge } from "./drawing.js";

const frameNow = page => page.evaluate(() => state.frame);
const pause = ms => new Promise(done => setTimeout(done, ms));

export async function playing({ page }, check) {
  const moves = await page.evaluate(() => scene.clips.some(clip => clip.frames > 1));
  if (!moves) { check("a page without animation offers no play button", !(await page.isVisible("#play"))); return; }
  check("a page with animation plays", await page.evaluate(() => state.playing) && await page.isVisible("#play"));
  const clock = await page.evaluate(() => state.clock);
  await pause(300);
  check("time passes", await page.evaluate(() => state.clock) !== clock);
  await page.focus("#view");
  await page.keyboard.press("Space");
  check("Space pauses", !(await page.evaluate(() => state.playing)));
  const frame = await frameNow(page), frames = await page.evaluate(() => current().frames);
  await page.keyboard.press(".");
  check("a full stop steps on", await frameNow(page) === (frame + 1) % frames);
  await page.keyboard.press(",");
  check("a comma steps back", await frameNow(page) === frame);
  await page.focus("#bones");
  const ticked = await page.isChecked("#bones");
  await page.keyboard.press("Space");
  check("Space on a checkbox ticks it and plays nothing", await page.isChecked("#bones") !== ticked && !(await page.evaluate(() => state.playing)));
  await page.keyboard.press("Space");
  await page.locator("#list [data-node]").first().click();
  for (const isPlaying of [true, false]) {
    await page.keyboard.press("Space");
    check("Space plays after a row was clicked, and pauses", await page.evaluate(() => state.playing) === isPlaying && await page.evaluate(() => state.node === rows[0]));
  }
  await page.keyboard.press("Escape");
  const clips = await page.evaluate(() => scene.clips.length);
  check("several clips are offered for choice", await page.isVisible("#clips") === clips > 1);
  for (let clip = clips - 1; clips > 1 && clip >= 0; clip--) {
    await page.selectOption("#clips", String(clip));
    await page.waitForFunction(clip => state.clip === clip, clip);
    const frames = await page.evaluate(() => current().frames);
    check(`clip ${clip} has a play button if it moves`, await page.isVisible("#play") === frames > 1);
  }
}

/** Whether the chosen node and all below it are in the part of the screen that panels leave free. */
export const isBesidePanels = page => page.evaluate(() => {
  const below = order.filter(node => { for (let n = node; n >= 0; n = scene.parents[n]) if (n === state.node) return true; return false; });
  const [x0, y0, x1, y1] = extent(shownPoints(below, [state.frame])), room = clearing(true);
  return x0 >= room.left && x1 <= room.right && y0 >= room.top && y1 <= room.bottom;
});

export async function tree({ page }, check) {
  await page.evaluate(() => setPlaying(false));
  const items = page.locator("#list [role=treeitem]"), many = await items.count();
  check("the tree has the rows", many === await page.evaluate(() => Math.min(rows.length, MOST_ITEMS)));
  await page.focus("#filter");
  await page.keyboard.press("Tab");
  check("Tab reaches the tree's first item", await page.evaluate(() => document.activeElement === $("list").firstElementChild));
  if (many > 1) await page.keyboard.press("ArrowDown");
  const focused = await page.evaluate(() => Number(document.activeElement.dataset.node));
  await page.keyboard.press("Enter");
  check("Enter chooses", await page.evaluate(() => state.node) === focused && await page.isVisible("#info"));
  check("the panel names it", (await page.textContent("#info h2")) === await page.evaluate(() => scene.names[state.node]));
  const before = await page.evaluate(() => { zoom(3); return [...camera.target, camera.distance]; });
  await page.keyboard.press("f");
  const target = await page.evaluate(() => camera.target), after = await page.evaluate(() => [...camera.target, camera.distance]);
  check("F frames what is chosen", before.some((x, i) => x !== after[i]) && target.every(Number.isFinite));
  check("between the panels", await isBesidePanels(page));
  await page.keyboard.press("Escape");
  check("Escape lets go", await page.evaluate(() => state.node) === -1 && !(await page.isVisible("#info")));
  await page.focus("#view");
  const yaw = await page.evaluate(() => camera.yaw);
  await page.keyboard.press("ArrowLeft");
  check("arrows orbit", await page.evaluate(() => camera.yaw) !== yaw);
  await page.keyboard.press("f");
  const outside = await page.evaluate(() => framed().points.filter(p => { updateEye(); const [x, y] = project(...p), c = clearing(); return x < c.left || x > c.right || y < c.top || y > c.bottom; }).length);
  check("F without a choice frames all", outside === 0, `${outside} points outside`);
}

export async function clicking({ page }, check) {
  await loadJudge(page);
  const drawn = await page.evaluate(() => { setPlaying(false); return order.filter(node => primitivesOf(node).length); });
  const places = await page.evaluate(() => pixelsOfNodes());
  check("something can be clicked", places.length > 0 || !drawn.length);
  for (const [node, place] of places.slice(0, 5)) {
    await page.mouse.click(...place);
    check(`a click on node ${node} chooses it`, await page.evaluate(() => state.node) === node);
    await page.keyboard.press("Escape");
  }
  const { target, distance } = await page.evaluate(() => ({ ...camera }));
  await page.mouse.move(600, 300);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(distance => camera.distance < distance, distance, { timeout: 2000 }).catch(() => {});
  check("the wheel zooms", await page.evaluate(() => camera.distance) < distance);
  const yaw = await page.evaluate(() => camera.yaw);
  await page.mouse.down(); await page.mouse.move(640, 310); await page.mouse.up();
  check("a drag orbits about the same point", await page.evaluate(() => camera.yaw) !== yaw &&
    JSON.stringify(await page.evaluate(() => camera.target)) === JSON.stringify(target));
}

/** The list, which small screens show on demand. */
const openList = async page => { if (!(await page.isVisible("#list"))) await page.click("#nodes"); };

/** A click chooses, a second one at the same place frames, whatever the first one has moved there; so in the picture and in the list. */
export async function doubleClicks({ page }, check) {
  await loadJudge(page);
  const far = () => page.evaluate(() => { setPlaying(false); choose(-1); frameAll(); zoom(3); draw(); });
  const isFramed = node => page.evaluate(node => { const before = [...camera.target, camera.distance]; frameNode(node); return state.node === node && before.every((x, i) => Math.abs(x - [...camera.target, camera.distance][i]) < 1e-6 * Math.max(1, Math.abs(x))); }, node);
  await far();
  const [[node, place] = []] = await page.evaluate(() => pixelsOfNodes());
  if (node !== undefined) {
    await page.mouse.click(...place, { clickCount: 2 });
    check("a double click on a node frames it", await isFramed(node));
  }
  await far();
  await openList(page);
  const row = page.locator("#list [data-node]").last(), last = Number(await row.getAttribute("data-node"));
  await row.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await row.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2, { clickCount: 2 });
  check("so does one on a row", await isFramed(last), last);
  await pause(500);
  const before = await page.evaluate(() => [...camera.target, camera.distance].join());
  await page.evaluate(() => choose(-1));
  await page.mouse.click(3, 3);
  await pause(500);
  await page.mouse.click(3, 3);
  check("two slow clicks frame nothing", await page.evaluate(() => [...camera.target, camera.distance].join()) === before);
  await page.evaluate(() => { choose(-1); frameAll(); });
}

/** A search that finds nothing says so. */
export async function search({ page }, check) {
  await openList(page);
  await page.fill("#filter", "no such zebra");
  check("an empty search says so", await page.isVisible("#none") && (await page.textContent("#none")).includes("no such zebra") && await page.locator("#list li").count() === 0);
  const name = await page.evaluate(() => scene.names[count - 1]);
  await page.fill("#filter", name.toUpperCase());
  check("and one that finds does not", !(await page.isVisible("#none")) && await page.locator("#list [data-node]").count() > 0);
  await page.fill("#filter", "");
  check("without one all are there", await page.locator("#list [data-node]").count() === await page.evaluate(() => Math.min(MOST_ITEMS, rows.length)));
  await page.keyboard.press("Escape");
}

/** A page has one scene: a dropped file is refused, and the page stays. */
export async function dropping({ page }, check) {
  const url = page.url();
  const drag = kind => page.evaluate(kind => {
    const data = new DataTransfer();
    data.items.add(new File(["{}"], "other.gltf"));
    const event = new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
    $("view").dispatchEvent(event);
    return event.defaultPrevented;
  }, kind);
  check("a file over the page is told that it is not opened", await drag("dragover") && await page.isVisible("#drop"));
  const findings = await page.locator("#findings li").count();
  check("a dropped one does not take the page away", await drag("drop") && await drag("drop") && page.url() === url && !(await page.isVisible("#drop")));
  check("and is named once", await page.locator("#findings li").count() === findings + 1 && (await page.textContent("#findings")).includes("other.gltf is not opened"));
  await page.evaluate(() => $("findings").lastElementChild.remove());
}

/** Films say what to look at, from their first second on. */
export async function looking({ page }, check) {
  const lines = await page.evaluate(() => notes.map(([second, text]) => {
    seek(Math.round(second / current().interval));
    return $("caption").textContent === text && $("caption").offsetHeight > 0;
  }));
  check("each moment has its line over the picture", lines.length > 5 && lines.every(x => x) && await page.evaluate(() => notes[0][0] === 0), lines);
  await openList(page);
  await page.click("#look summary");
  const links = page.locator("#notes button");
  check("they are listed", await links.count() === await page.evaluate(() => new Set(notes.map(([, text]) => text)).size));
  await links.last().click();
  const [text, listed] = await page.evaluate(() => [$("caption").textContent, $("notes").lastElementChild.textContent]);
  check("and lead there", listed.endsWith(text), text);
  const { inside, high } = await page.evaluate(() => { const r = $("caption").getBoundingClientRect(); return { inside: r.left >= 0 && r.right <= innerWidth, high: r.height / innerHeight }; });
  check("a line leaves the picture its room", inside && high < 0.3, high);
}

export async function names({ page }, check) {
  const boxes = await page.evaluate(() => { frameAll(); draw(); return drawNames(points); });
  const overlap = boxes.some((a, i) => boxes.slice(i + 1).some(b => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]));
  check("names do not cover each other", !overlap && boxes.length <= 50, `${boxes.length} names`);
}

/** Something drawn is more than a dot, and how large all is stands beside the list. */
export async function seen({ page }, check) {
  const { pixels, text, drawn } = await page.evaluate(() => {
    choose(-1); frameAll();
    const { left, right, top, bottom } = clearing(), inside = ([x0, y0, x1, y1]) => x0 >= left - 1 && x1 <= right + 1 && y0 >= top - 1 && y1 <= bottom + 1;
    const boxes = drawnBoxes().map(({ corners }) => extent(corners)).filter(inside);
    return { pixels: Math.max(0, ...boxes.map(([x0, y0, x1, y1]) => Math.hypot(x1 - x0, y1 - y0))), text: $("stats").textContent, drawn: drawnBoxes().length };
  });
  check("what is drawn is larger than a dot", !drawn || pixels > 4, `${pixels} pixels`);
  check("the extent is told", /, extent [0-9.]+ (km|m|mm)/.test(text), text);
  check("and there is one node or there are several", await page.evaluate(() => $("stats").textContent.startsWith(count === 1 ? "1 node," : `${count} nodes,`)), text);
  if (await page.evaluate(() => scene.title === "far.gltf")) check("where meshes are dots, the largest is told", text.includes("extent 12.3 km, largest mesh 0.141 m: 3 of 4 meshes are in view"), text);
}

/** Everything within a phone's screen, and what is drawn beside the controls. */
export async function fits({ page }, check) {
  const outside = await page.evaluate(() => {
    const shown = [...document.querySelectorAll("#bar button, #bar input, #bar select, #bar label")].filter(e => e.offsetParent);
    return shown.filter(e => { const r = e.getBoundingClientRect(); return r.left < 0 || r.right > innerWidth || r.bottom > innerHeight; }).map(e => e.id || e.textContent);
  });
  check("all controls are on the screen", !outside.length, outside);
  const { x, y, z } = await page.evaluate(() => { const e = extent(framed().points), c = clearing(); return { x: e[0] >= c.left - 1 && e[2] <= c.right + 1, y: e[1] >= -1, z: e[3] <= c.bottom + 1 }; });
  check("what is drawn is in view", x && y && z);
  await page.click("#nodes");
  check("the nodes can be opened", await page.isVisible("#list"));
  check("above the bar", await page.evaluate(() => $("about").getBoundingClientRect().bottom <= $("bar").getBoundingClientRect().top));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  check("and closed", !(await page.isVisible("#list")));
}

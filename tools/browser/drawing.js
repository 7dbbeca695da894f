// What is drawn is what the scene's matrices say, and those are what the file says.

import { fileURLToPath } from "node:url";
import { pose, readScene } from "./pose.js";

const JUDGE = fileURLToPath(new URL("judge.js", import.meta.url));

/** Once a page. */
export async function loadJudge(page) {
  if (!(await page.evaluate(() => typeof judgeDrawing === "function"))) await page.addScriptTag({ path: JUDGE });
}

/** The animations of which the page has a clip, and the nodes that it shows. */
function shown({ json }) {
  const known = ({ target: { node, path } }) => node !== undefined && ["translation", "rotation", "scale", "weights"].includes(path);
  const animations = (json.animations ?? []).flatMap(({ channels }, i) => channels.some(known) ? [i] : []);
  const nodes = new Set(), open = json.scene === undefined ? (json.nodes ?? []).map((_, i) => i) : [...json.scenes[json.scene].nodes];
  while (open.length) { const node = open.pop(); nodes.add(node); open.push(...(json.nodes[node].children ?? [])); }
  return { animations, nodes: [...nodes].sort((a, b) => a - b) };
}

/** Every frame of every clip against the file; the error is relative to the largest number. */
export async function matrices({ page }, path, check) {
  const scene = readScene(path), { animations, nodes } = shown(scene);
  const clips = await page.evaluate(async () => Promise.all(scene.clips.map(async ({ frames, interval, ...clip }) =>
    ({ frames, interval, numbers: Array.from(await unpack({ frames, interval, ...clip })) }))));
  check("there is a clip an animation, and the rest pose", clips.length === animations.length + 1, clips.length);
  clips.forEach(({ frames, interval, numbers }, c) => {
    let [worst, largest] = [0, 1e-9];
    for (let frame = 0; frame < frames; frame += Math.ceil(frames / 60)) {
      const worlds = pose(scene, animations[c] ?? -1, frame * interval);
      nodes.forEach((node, n) => worlds[node].forEach((x, i) => {
        // The last frame is the last key's.
        if (frame < frames - 1) worst = Math.max(worst, Math.abs(x - numbers[(frame * nodes.length + n) * 12 + i]));
        largest = Math.max(largest, Math.abs(x));
      }));
    }
    check(`the matrices of clip ${c} are the file's`, worst < 1e-4 * largest, `${worst} of ${largest}`);
  });
}

/** Pixels against triangles, in some frames of some clips. */
export async function pixels({ page }, check) {
  await loadJudge(page);
  await page.evaluate(() => setPlaying(false));
  const clips = await page.evaluate(() => scene.clips.map((clip, c) => [c, clip.frames]));
  const some = await page.evaluate(() => order.some(node => primitivesOf(node).length));
  for (const [c, frames] of clips.length > 4 ? [...clips.slice(0, 3), clips.at(-1)] : clips) {
    await page.evaluate(async c => { await chooseClip(c); frameAll(); }, c);
    for (const frame of new Set([Math.floor(frames / 3), frames - 1])) {
      const result = await page.evaluate(frame => { seek(frame); return judgeDrawing(); }, frame);
      const { expected, drawn, wrong } = result;
      const right = some ? expected > 500 && drawn > 500 && wrong <= 0.001 * expected : drawn === 0;
      check(`frame ${frame} of clip ${c} shows each mesh where its matrices put it`, right, JSON.stringify(result));
    }
  }
}

/** What is called blue is drawn blue: its texture has reached the screen. */
export async function colors({ page }, check) {
  await loadJudge(page);
  const colors = await page.evaluate(() => {
    const places = pixelsOfNodes().filter(([node]) => scene.names[node] === "blue"), pixel = new Uint8Array(4);
    draw();
    return places.map(([, [x, y]]) => { gl.readPixels(x, height - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); return [...pixel]; });
  });
  for (const [r, g, b] of colors) check("what is called blue is blue", b > 100 && b > 2 * r && b > 2 * g, [r, g, b]);
  check("blue is seen", colors.length === await page.evaluate(() => scene.names.filter(name => name === "blue").length));
}

/** The graphics card may be taken away and given back. */
export async function loss({ page }, check) {
  await loadJudge(page);
  const before = await page.evaluate(() => { setPlaying(false); const loss = gl.getExtension("WEBGL_lose_context"); globalThis.loss = loss; const seen = judgeDrawing(); loss.loseContext(); return seen; });
  await page.waitForFunction(() => gl.isContextLost());
  await page.evaluate(() => { dirty = true; loss.restoreContext(); });
  await page.waitForFunction(() => !gl.isContextLost());
  const after = await page.evaluate(() => judgeDrawing());
  check("what is drawn comes back after the graphics card was lost", before.drawn === after.drawn, JSON.stringify([before, after]));
}

// In the viewer's scope: a picture of the session, and what the rest of the page asks of it.

for (const clip of scene.clips) Object.assign(clip, { frames: 1, interval: 1, position: 0, linear: new Float32Array(count) });
state.matrices = new Float32Array(12 * count);

/** The matrices of the last run. Of orbits only two: of the chosen entity and its parent. */
function refresh() {
  if (isFile) {
    state.matrices = floatsOf(wasm.worlds()).slice();
    state.weights = floatsOf(wasm.weights()).slice();
  } else if (state.node >= 0) for (const node of [state.node, scene.parents[state.node]]) if (node >= 0) keepMatrix(node);
  follow();
  if (state.node >= 0) showNumbers();
}

function keepMatrix(node) {
  const m = worldOf(node);
  for (let column = 0; column < 4; column++) state.matrices.set(m.subarray(4 * column, 4 * column + 3), at(node) + 3 * column);
}

/** The matrices of some moments of the clip: all of them are framed. */
let moments = [];

function rememberClip() {
  moments = [0, 1, 2, 3, 4, 5, 6].map(i => { wasm.pose(state.clip, duration() * i / 6); wasm.run(); return floatsOf(wasm.worlds()).slice(); });
}

const frameShown = frameAll, frameShownNode = frameNode;
frameAll = () => { followed = -1; if (isFile) frameClip(); else frameOrbits(); };
frameNode = node => { if (isFile) frameShownNode(node); else frameOrbit(node); };
if (!isFile) pick = lightNear;

/** As much as the clip shows from its beginning to its end. */
function frameClip() {
  state.matrices = new Float32Array(moments.flatMap(part => [...part]));
  current().frames = moments.length;
  frameShown();
  current().frames = 1;
  refresh();
}

/** The disc fills the part that the panels leave free; its depth is foreshortened. */
function frameOrbits() {
  radius = reach = scene.far;
  detail = 1;
  // Orbits have no ground.
  floor = -Infinity;
  const { left, right, top, bottom } = clearing(), isUpright = bottom - top > right - left;
  // An upright screen has room for a look from above.
  camera.pitch = isUpright ? 0.95 : 0.62;
  updateEye();
  camera.distance = scene.far * eye.zoom * Math.max(2.1 / (right - left), 1.8 / (bottom - top));
  camera.target = [0, 0, 0];
  // Near ones are larger.
  pan(0, -0.06 * (bottom - top));
  camera.isMoved = false;
}

/** A framed entity of the orbits moves on. The camera goes with it, until all is framed again. */
let followed = -1, lastPlace = null;

function frameOrbit(node) {
  const below = allBelow(node);
  below.forEach(keepMatrix);
  fit(below.map(n => position(n)), 1.2);
  [followed, lastPlace] = [node, position(node)];
}

function follow() {
  if (followed < 0) return;
  keepMatrix(followed);
  const now = position(followed);
  camera.target = camera.target.map((x, i) => x + now[i] - lastPlace[i]);
  lastPlace = now;
}

/** A node has another parent, and its row goes there. */
function reparented(child, parent) {
  scene.parents[child] = parent === NONE ? -1 : parent;
  linkAll();
  showList(child);
  choose(child);
  focusNode(child);
}

rowEnd = () => [Object.assign(element("span", "⠿"), { className: "grip", ariaHidden: "true" })];

async function start() {
  await unpackGeometry();
  startMeshes();
  measureParts();
  if (!isFile) startLights();
  refresh();
  state.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** When all of the page is there. */
function begin() {
  offer();
  explainKeys([["drag a row onto another", "its parent from now on, in place"], ["X, V in the list", "take; put below"]]);
  foldDeep();
  // A root with thousands of children would begin folded.
  folded.delete(order[0]);
  showList();
  choose(-1);
  showNodes(false);
  showPlaying();
  if (isFile) { rememberClip(); seek(state.clock); }
  resize();
}

const picture = {
  isFile, scene, state, camera, refresh, goOn, setPlaying, seek, step, choose, reparented, resize, start, begin, project, lightNear, folded, showNodes,
  draw: () => { if (isFile) draw(); else drawOrbits(); },
  reveal: node => markChosen(node),
  frame, duration, hasMeshes: () => gl !== null, withoutMeshes,
  extent: () => $("extent").textContent,
  drift: angle => { if (!camera.isMoved && followed < 0) camera.yaw += angle; },
  measure: () => { readTheme(); theme.lines = getComputedStyle(document.documentElement).getPropertyValue("--lines").trim(); if (rows.length) showList(state.node); },
};

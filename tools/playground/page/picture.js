// In the viewer's scope: a picture of the session. A file is drawn as the viewer draws it, from the
// matrices of the run; what orbits, as lights.

const isFile = count > 0;

/** The matrices of the last run. */
function refresh() {
  if (!isFile) return;
  state.matrices = floatsOf(wasm.worlds()).slice();
  state.weights = floatsOf(wasm.weights()).slice();
}

/** The matrices of some moments of the clip: what is framed. */
let moments = [];

function remember(poses) {
  moments = poses.map(pose => { pose(); wasm.run(); return floatsOf(wasm.worlds()).slice(); });
}

function frameClip() {
  state.matrices = new Float32Array(moments.flatMap(part => [...part]));
  current().frames = moments.length;
  frameAll();
  // The numbers of a narrow screen lie above the picture.
  if (isNarrow()) pan(0, $("numbers").offsetHeight / 2);
  camera.isMoved = false;
  current().frames = 1;
  refresh();
}

/** The disc fills the part that the panels leave free; its depth is foreshortened. */
function frameOrbits() {
  radius = reach = scene.far;
  detail = 1;
  updateEye();
  const { left, right, bottom } = clearing(), top = isNarrow() ? $("numbers").offsetHeight : 0;
  // An upright screen has room for a look from above.
  camera.pitch = isNarrow() ? 0.95 : 0.62;
  camera.distance = scene.far * eye.zoom * Math.max(2.1 / (right - left), 1.8 / (bottom - top));
  camera.target = [0, 0, 0];
  // What is near is larger.
  pan(0, top / 2 - 0.06 * (bottom - top));
  camera.isMoved = false;
}

/** The viewer's own `resize` frames what the moment shows. */
function fitPicture() {
  $("info").hidden = isNarrow();
  resize();
  if (camera.isMoved) return;
  if (isFile) frameClip(); else frameOrbits();
}

const isNarrow = () => getComputedStyle($("about")).getPropertyValue("--docked").trim() !== "1";

/** From an entity to its ancestors, and to its children. */
function links(node) {
  const lines = [], at = n => [...worldOf(n).subarray(12, 15)], seen = new Set();
  const link = (a, b, strength) => lines.push([...at(a), strength], [...at(b), strength]);
  for (let n = node; !seen.has(n); n = parentOf(n)) {
    seen.add(n);
    if (parentOf(n) === NONE) break;
    link(n, parentOf(n), 0.9);
  }
  for (const child of childrenOf(node).slice(0, 100)) link(node, child, 0.3);
  return lines;
}

function drawOrbits(node) {
  pen.clearRect(0, 0, width, height);
  drawLights();
  if (node === NONE) return;
  paintLines(links(node), theme.lines);
  const place = worldOf(node).subarray(12, 15), p = project(...place);
  pen.strokeStyle = theme.accent; pen.lineWidth = 2;
  pen.beginPath(); pen.arc(p[0], p[1], 9, 0, 7); pen.stroke();
  drawLabel(p, nodeName(node), theme.accent);
}

function drawPicture(node) {
  if (!gl) return;
  state.node = node === NONE || !isFile ? -1 : node;
  if (isFile) draw(); else drawOrbits(node);
}

function measure() {
  readTheme();
  theme.lines = getComputedStyle(document.documentElement).getPropertyValue("--lines").trim().split(" ").map(x => Number(x) / 255);
}

const picture = {
  isFile, refresh, remember, measure, project, resize: fitPicture,
  draw: drawPicture,
  reparented: (child, parent) => { if (isFile) scene.parents[child] = parent === NONE ? -1 : parent; },
  isMoved: () => camera.isMoved,
  drift: angle => { camera.yaw += angle; },
  async start() {
    await unpackGeometry();
    startMeshes();
    if (!gl) { say("this browser shows no WebGL 2, which the picture needs", true); return; }
    measureParts();
    if (!isFile) { startLights(); canvas.addEventListener("click", event => { if (travelled < 5) choose(lightNear(event.offsetX, event.offsetY)); }); }
  },
};

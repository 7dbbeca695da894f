// The camera: its target, and how the world falls on the screen.

const camera = { yaw: 0.7, pitch: 0.35, distance: 10, target: [0, 0, 0], isMoved: false };
let width = 0, height = 0, eye = null;
/** Half of what is framed, of the whole scene, and of the largest mesh; the lowest point. */
let radius = 1, reach = 1, detail = 1, floor = 0;

/** Whether a panel always lies beside the picture. */
const isDocked = panel => getComputedStyle(panel).getPropertyValue("--docked").trim() === "1";

/**
 * The part of the screen that panels leave free. The chosen node's panel comes and goes. On upright
 * phones it lies along the bottom, and the picture moves up for it; elsewhere it lies to the right,
 * and the picture stays. The playground's numbers lie to the right, on upright phones along the top.
 */
function clearing(besideInfo = false) {
  const about = $("about"), info = $("info"), numbers = $("numbers"), docked = numbers && isDocked(numbers);
  const isSheet = !info.hidden && info.offsetLeft < width / 2, isBeside = besideInfo && !info.hidden && !isSheet;
  return {
    left: isDocked(about) ? about.offsetLeft + about.offsetWidth : 0,
    right: Math.min(isBeside ? info.offsetLeft : width, docked ? numbers.offsetLeft : width),
    top: numbers && !docked ? numbers.offsetTop + numbers.offsetHeight : 0,
    bottom: isSheet ? info.offsetTop : $("bar").offsetTop || height,
  };
}

function updateEye() {
  const [sy, cy, sp, cp] = [Math.sin(camera.yaw), Math.cos(camera.yaw), Math.sin(camera.pitch), Math.cos(camera.pitch)];
  const { left, right, top, bottom } = clearing();
  eye = { right: [cy, 0, -sy], up: [-sy * sp, cp, -cy * sp], back: [sy * cp, sp, cy * cp],
          x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(50, Math.min(right - left, bottom - top)) * 1.7,
          near: Math.max(detail * 1e-3, camera.distance * 0.01), far: camera.distance + reach * 8 };
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Screen x and y, and the distance along the view. */
function project(x, y, z) {
  const d = [x - camera.target[0], y - camera.target[1], z - camera.target[2]];
  const far = camera.distance - dot(eye.back, d), k = eye.zoom / Math.max(far, eye.near);
  return [eye.x + dot(eye.right, d) * k, eye.y - dot(eye.up, d) * k, far];
}

/** The same as `project`, as a matrix from the world to clip space, column by column. */
function viewMatrix() {
  const row = v => [...v, -dot(v, camera.target)];
  const [right, up, back] = [row(eye.right), row(eye.up), row(eye.back)];
  const far = back.map((x, i) => (i === 3 ? camera.distance : 0) - x);
  const depth = (eye.far + eye.near) / (eye.far - eye.near), offset = -2 * eye.far * eye.near / (eye.far - eye.near);
  const rows = [
    far.map((w, i) => (2 * eye.x / width - 1) * w + 2 * eye.zoom / width * right[i]),
    far.map((w, i) => (1 - 2 * eye.y / height) * w + 2 * eye.zoom / height * up[i]),
    far.map((w, i) => depth * w + (i === 3 ? offset : 0)),
    far,
  ];
  return new Float32Array([0, 1, 2, 3].flatMap(column => rows.map(r => r[column])));
}

const eyePosition = () => camera.target.map((x, i) => x + eye.back[i] * camera.distance);

/**
 * Lifts the camera and what it looks at above the ground, where one is drawn: from below it would
 * hide everything.
 *
 * An example: the target is 1 m above the ground and the camera 10 m away. Then it looks up by
 * asin(1 / 10) at most, less a little, so that the ground is seen from above.
 */
function stayAboveGround() {
  if (!$("ground").checked) return;
  camera.target[1] = Math.max(camera.target[1], floor);
  const least = Math.asin(Math.max(-1, (floor - camera.target[1]) / camera.distance)) + 0.02;
  camera.pitch = Math.max(camera.pitch, least);
}

function moved() {
  camera.isMoved = true;
  stayAboveGround();
  dirty = true;
}

function turn(yaw, pitch) {
  camera.yaw += yaw;
  camera.pitch = Math.max(-1.55, Math.min(1.55, camera.pitch + pitch));
  moved();
}

/** By pixels of the screen. */
function pan(dx, dy) {
  const k = camera.distance / eye.zoom;
  camera.target = camera.target.map((x, i) => x - eye.right[i] * dx * k + eye.up[i] * dy * k);
  moved();
}

function zoom(factor) {
  camera.distance = Math.max(detail * 0.02, Math.min(reach * 30, camera.distance * factor));
  moved();
}

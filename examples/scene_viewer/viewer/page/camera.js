// The camera: its target, how the world falls on the screen, and from where all of it is seen.

const camera = { yaw: 0.7, pitch: 0.35, distance: 10, target: [0, 0, 0], isMoved: false };
let width = 0, height = 0, eye = null, radius = 1, floor = 0;

/**
 * The part of the screen that panels leave free. The chosen node's panel comes and goes; the
 * picture does not move for it.
 */
function clearing(besideInfo = false) {
  const about = $("about"), info = $("info"), docked = getComputedStyle(about).getPropertyValue("--docked").trim() === "1";
  return {
    left: docked ? about.offsetLeft + about.offsetWidth : 0, right: docked && besideInfo && !info.hidden ? info.offsetLeft : width,
    top: 0, bottom: $("bar").offsetTop || height,
  };
}

function updateEye() {
  const [sy, cy, sp, cp] = [Math.sin(camera.yaw), Math.cos(camera.yaw), Math.sin(camera.pitch), Math.cos(camera.pitch)];
  const { left, right, top, bottom } = clearing();
  eye = { right: [cy, 0, -sy], up: [-sy * sp, cp, -cy * sp], back: [sy * cp, sp, cy * cp],
          x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(50, Math.min(right - left, bottom - top)) * 1.7,
          near: Math.max(radius * 1e-3, camera.distance * 0.01), far: camera.distance + radius * 8 };
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

function turn(yaw, pitch) {
  camera.isMoved = true;
  camera.yaw += yaw;
  camera.pitch = Math.max(-1.55, Math.min(1.55, camera.pitch + pitch));
  dirty = true;
}

/** By pixels of the screen. */
function pan(dx, dy) {
  camera.isMoved = true;
  const k = camera.distance / eye.zoom;
  camera.target = camera.target.map((x, i) => x - eye.right[i] * dx * k + eye.up[i] * dy * k);
  dirty = true;
}

function zoom(factor) {
  camera.isMoved = true;
  camera.distance = Math.max(radius * 0.02, Math.min(radius * 30, camera.distance * factor));
  dirty = true;
}

/** Everything in view, and the scene's measure taken. */
function frameAll() {
  const points = shownPoints(order);
  const [low, high] = boxAround(points);
  radius = Math.hypot(...high.map((x, i) => (x - low[i]) / 2)) || 1;
  floor = low[1];
  fit(points, 0);
  camera.isMoved = false;
}

/** A node and all below it. */
function frameNode(node) {
  const below = [];
  for (let open = [node]; open.length;) { const next = open.pop(); below.push(next); open.push(...children[next]); }
  fit(shownPoints(below, [state.frame]), radius * 0.08);
}

/** Moves the camera along its view so that the points just fit between the panels. */
function fit(points, least) {
  const { left, right, top, bottom } = clearing(true), margin = 0.06 * Math.min(right - left, bottom - top);
  const [low, high] = boxAround(points);
  camera.target = low.map((x, i) => (x + high[i]) / 2);
  const size = Math.max(least, ...points.map(p => Math.hypot(...p.map((x, i) => x - camera.target[i])))) || radius;
  for (let round = 0; round < 3; round++) {
    let [near, far] = [size * 0.3, size * 12];
    for (let i = 0; i < 24; i++) {
      camera.distance = (near + far) / 2;
      const [x0, y0, x1, y1, closest] = extent(points);
      const fits = x1 - x0 < right - left - 2 * margin && y1 - y0 < bottom - top - 2 * margin && closest > size * 0.1;
      if (fits && camera.distance > least * 3) far = camera.distance; else near = camera.distance;
    }
    camera.distance = far;
    const [x0, y0, x1, y1] = extent(points);
    pan((left + right - x0 - x1) / 2, (top + bottom - y0 - y1) / 2);
  }
}

function extent(points) {
  updateEye();
  const found = [Infinity, Infinity, -Infinity, -Infinity, Infinity];
  for (const point of points) {
    const [x, y, far] = project(...point);
    found[0] = Math.min(found[0], x); found[1] = Math.min(found[1], y);
    found[2] = Math.max(found[2], x); found[3] = Math.max(found[3], y);
    found[4] = Math.min(found[4], far);
  }
  return found;
}

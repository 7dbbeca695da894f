// The scene on a canvas: projection, boxes, bones, nodes.

const canvas = $("view"), pen = canvas.getContext("2d");
let width = 0, height = 0, eye = null;

function resize() {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * ratio; canvas.height = height * ratio;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  dirty = true;
}

function updateEye() {
  const [sy, cy, sp, cp] = [Math.sin(camera.yaw), Math.cos(camera.yaw), Math.sin(camera.pitch), Math.cos(camera.pitch)];
  eye = { right: [cy, 0, -sy], up: [-sy * sp, cp, -cy * sp], back: [sy * cp, sp, cy * cp],
          x: (width + $("about").offsetWidth) / 2, y: (height - $("bar").offsetHeight) / 2, zoom: Math.min(width - $("about").offsetWidth, height) * 1.15,
          near: radius * 1e-3 };
}

/** Screen x and y, and the distance along the view. */
function project(x, y, z) {
  const [dx, dy, dz] = [x - camera.target[0], y - camera.target[1], z - camera.target[2]];
  const dot = v => v[0] * dx + v[1] * dy + v[2] * dz;
  const far = camera.distance - dot(eye.back), k = eye.zoom / Math.max(far, eye.near);
  return [eye.x + dot(eye.right) * k, eye.y - dot(eye.up) * k, far];
}

const at = node => (state.frame * count + node) * 12;
const position = node => { const i = at(node) + 9, m = state.matrices; return [m[i], m[i + 1], m[i + 2]]; };

function boxCorners(mesh, node) {
  const m = state.matrices, o = at(node), corners = [];
  for (let i = 0; i < 8; i++) {
    const x = mesh[i & 1][0], y = mesh[i >> 1 & 1][1], z = mesh[i >> 2][2];
    corners.push([0, 1, 2].map(r => m[o + r] * x + m[o + 3 + r] * y + m[o + 6 + r] * z + m[o + 9 + r]));
  }
  return corners;
}

const FACES = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
const LIGHT = (v => { const l = Math.hypot(...v); return v.map(x => x / l); })([0.5, 0.9, 0.6]);

function drawBoxes() {
  const faces = [];
  scene.meshes.forEach((mesh, node) => {
    if (!mesh) return;
    const corners = boxCorners(mesh, node), points = corners.map(c => project(...c));
    if (points.some(p => p[2] <= eye.near)) return;
    for (const face of FACES) {
      const [a, b, , d] = face.map(i => corners[i]);
      const [u, v] = [[0, 1, 2].map(i => b[i] - a[i]), [0, 1, 2].map(i => d[i] - a[i])];
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const length = Math.hypot(...n) || 1, lit = Math.abs(n[0] * LIGHT[0] + n[1] * LIGHT[1] + n[2] * LIGHT[2]) / length;
      const polygon = face.map(i => points[i]);
      faces.push({ far: polygon.reduce((s, p) => s + p[2], 0) / 4, polygon, lit, node, color: mesh[2] });
    }
  });
  faces.sort((a, b) => b.far - a.far);
  for (const { polygon, lit, node, color } of faces) {
    const k = 0.25 + 0.6 * lit, rgb = color.map(c => Math.round(255 * Math.sqrt(c) * k));
    pen.fillStyle = `rgba(${rgb}, 0.82)`;
    pen.strokeStyle = node === state.node ? "#f0b35a" : `rgba(${rgb.map(c => c >> 1)}, 0.9)`;
    pen.lineWidth = node === state.node ? 1.6 : 0.6;
    pen.beginPath();
    polygon.forEach(([x, y]) => pen.lineTo(x, y));
    pen.closePath(); pen.fill(); pen.stroke();
  }
  return faces;
}

function drawGrid() {
  const step = 10 ** Math.floor(Math.log10(radius)) * (radius / 10 ** Math.floor(Math.log10(radius)) > 4 ? 1 : 0.5);
  const n = Math.ceil(radius * 1.6 / step), [cx, cz] = [camera.target[0], camera.target[2]].map(c => Math.round(c / step) * step);
  pen.lineWidth = 1;
  for (let i = -n; i <= n; i++) {
    pen.strokeStyle = `rgba(150, 170, 190, ${0.16 * (1 - Math.abs(i) / (n + 1))})`;
    for (const [a, b] of [[[cx + i * step, cz - n * step], [cx + i * step, cz + n * step]], [[cx - n * step, cz + i * step], [cx + n * step, cz + i * step]]])
      line(project(a[0], floor, a[1]), project(b[0], floor, b[1]));
  }
}

function line(a, b) {
  if (a[2] <= eye.near || b[2] <= eye.near) return;
  pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); pen.stroke();
}

const hue = node => 38 + 150 * (deepest ? depth[node] / deepest : 0);

function drawBones(points) {
  const bones = [], solid = faces.length ? 0.35 : 0.65;
  for (const node of order) {
    const parent = scene.parents[node];
    if (parent >= 0 && points[node][2] > eye.near && points[parent][2] > eye.near) bones.push(node);
  }
  bones.sort((a, b) => points[b][2] - points[a][2]);
  for (const node of bones) {
    const [a, b] = [points[scene.parents[node]], points[node]];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(dx, dy);
    if (length < 0.5) continue;
    const fade = Math.max(0.35, Math.min(1, 1.3 - 0.5 * b[2] / camera.distance));
    if (isShell(node) && $("boxes").checked) continue;
    if (isShell(node) || !(carried[node] || isStill)) {
      pen.strokeStyle = `hsla(${hue(node)}, 45%, 65%, ${0.3 * fade})`; pen.lineWidth = 1;
      line(a, b);
      continue;
    }
    // A kite, broad near the parent: which end is the parent's can be seen.
    const w = Math.min(7, 0.12 * length + 1) / length, [mx, my] = [a[0] + dx * 0.18, a[1] + dy * 0.18];
    pen.fillStyle = `hsla(${hue(node)}, 75%, 62%, ${fade * solid})`;
    pen.strokeStyle = `hsla(${hue(node)}, 80%, 75%, ${fade * 0.9})`; pen.lineWidth = 0.7;
    pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(mx - dy * w, my + dx * w); pen.lineTo(b[0], b[1]); pen.lineTo(mx + dy * w, my - dx * w);
    pen.closePath(); pen.fill(); pen.stroke();
  }
}

function drawAxes(node, reach) {
  const m = state.matrices, o = at(node), p = position(node), from = project(...p);
  ["#ff6b5e", "#7fd36a", "#6aa3ff"].forEach((color, i) => {
    const v = [m[o + 3 * i], m[o + 3 * i + 1], m[o + 3 * i + 2]], length = Math.hypot(...v) || 1;
    pen.strokeStyle = color; pen.lineWidth = node === state.node ? 2.5 : 1.2;
    line(from, project(...p.map((x, j) => x + v[j] / length * reach)));
  });
}

function drawNodes(points) {
  const size = Math.max(1.4, Math.min(4.5, 40 / Math.sqrt(count)));
  for (const node of order) {
    const [x, y, far] = points[node];
    if (far <= eye.near || isShell(node) && $("boxes").checked) continue;
    const kind = scene.kinds[node], s = Math.max(1.2, Math.min(2 * size, size * camera.distance / far));
    pen.fillStyle = pen.strokeStyle = kind === "m" ? "#9fb4c8" : kind === "s" ? "#d99be8" : kind === "c" ? "#fff" : `hsl(${hue(node)}, 85%, 72%)`;
    pen.beginPath();
    if (kind === "m") pen.rect(x - s * 0.7, y - s * 0.7, s * 1.4, s * 1.4);
    else if (kind === "s") { pen.moveTo(x, y - 1.4 * s); pen.lineTo(x + 1.4 * s, y); pen.lineTo(x, y + 1.4 * s); pen.lineTo(x - 1.4 * s, y); pen.closePath(); }
    else if (kind === "c") { pen.moveTo(x, y - 1.4 * s); pen.lineTo(x + 1.3 * s, y + s); pen.lineTo(x - 1.3 * s, y + s); pen.closePath(); }
    else pen.arc(x, y, s, 0, 7);
    if (kind === "n") { pen.lineWidth = s > 3 ? 1.2 : 0.8; pen.stroke(); } else pen.fill();
  }
}

function drawTrail(node) {
  const { frames } = current();
  pen.lineWidth = 1.5;
  let last = null;
  for (let frame = 0; frame < frames; frame++) {
    const i = (frame * count + node) * 12 + 9, m = state.matrices, point = project(m[i], m[i + 1], m[i + 2]);
    pen.strokeStyle = `rgba(240, 179, 90, ${frame <= state.frame ? 0.75 : 0.25})`;
    if (last) line(last, point);
    last = point;
  }
}

function label(point, text, color) {
  pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  pen.lineWidth = 3; pen.strokeStyle = "#0d1115cc"; pen.fillStyle = color;
  pen.strokeText(text, point[0] + 8, point[1] - 6); pen.fillText(text, point[0] + 8, point[1] - 6);
}

let points = [], faces = [];
function draw() {
  pen.clearRect(0, 0, width, height);
  updateEye();
  points = scene.names.map((_, node) => project(...position(node)));
  drawGrid();
  faces = $("boxes").checked ? drawBoxes() : [];
  if ($("bones").checked) drawBones(points);
  if ($("axes").checked) for (let node = 0; node < count; node++) drawAxes(node, radius * 0.04);
  drawNodes(points);
  if ($("names").checked) points.forEach((p, node) => { if (p[2] > eye.near) label(p, scene.names[node], "#cfd6dd"); });
  if (state.node >= 0) {
    const p = points[state.node];
    if ($("trail").checked && current().frames > 1) drawTrail(state.node);
    drawAxes(state.node, radius * 0.1);
    pen.strokeStyle = "#f0b35a"; pen.lineWidth = 2;
    pen.beginPath(); pen.arc(p[0], p[1], 9, 0, 7); pen.stroke();
    label(p, scene.names[state.node], "#f0b35a");
  }
}

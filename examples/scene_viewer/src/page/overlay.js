// What is drawn over the meshes: bones, axes, nodes, the trail of the chosen one.

const canvas = $("view"), pen = canvas.getContext("2d");
const hue = node => 38 + 150 * (deepest ? depth[node] / deepest : 0);

function line(a, b) {
  if (a[2] <= eye.near || b[2] <= eye.near) return;
  pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); pen.stroke();
}

/** One, or half of one, times a power of ten. */
function gridStep() {
  const power = 10 ** Math.floor(Math.log10(radius));
  return power * (radius / power > 4 ? 1 : 0.5);
}

/** Pairs of points on the floor, [x, y, z, strength]. */
function gridLines() {
  if (!$("ground").checked) return [];
  const step = gridStep();
  const n = Math.ceil(radius * 1.6 / step), [cx, cz] = [camera.target[0], camera.target[2]].map(c => Math.round(c / step) * step), all = [];
  for (let i = -n; i <= n; i++) for (let j = -n; j < n; j++) {
    const point = (a, b) => [cx + a * step, floor, cz + b * step, Math.max(0, 1 - Math.hypot(a, b) / (n + 1)) * 0.5];
    all.push(point(i, j), point(i, j + 1), point(j, i), point(j + 1, i));
  }
  return all;
}

function drawGrid() {
  const points = gridLines();
  pen.lineWidth = 1;
  for (let i = 0; i < points.length; i += 2) {
    pen.strokeStyle = `rgb(${theme.grid} / ${points[i][3]})`;
    line(project(...points[i]), project(...points[i + 1]));
  }
}

function drawBones(points) {
  const bones = [], meshes = $("meshes").checked, solid = meshes ? 0.35 : 0.65;
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
    if (isShell(node) && meshes) continue;
    if (isShell(node) || !(carried[node] || isStill)) {
      pen.strokeStyle = `hsla(${hue(node)}, 45%, ${theme.bones}%, ${0.3 * fade})`; pen.lineWidth = 1;
      line(a, b);
      continue;
    }
    // A kite, broad near the parent: which end is the parent's can be seen.
    const w = Math.min(7, 0.12 * length + 1) / length, [mx, my] = [a[0] + dx * 0.18, a[1] + dy * 0.18];
    pen.fillStyle = `hsla(${hue(node)}, 75%, ${theme.bones}%, ${fade * solid})`;
    pen.strokeStyle = `hsla(${hue(node)}, 80%, ${theme.bones + 12}%, ${fade * 0.9})`; pen.lineWidth = 0.8;
    pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(mx - dy * w, my + dx * w); pen.lineTo(b[0], b[1]); pen.lineTo(mx + dy * w, my - dx * w);
    pen.closePath(); pen.fill(); pen.stroke();
  }
}

function drawAxes(node, reach) {
  const m = state.matrices, o = at(node), p = position(node), from = project(...p);
  ["#ff6b5e", "#5fbf52", "#5a96ff"].forEach((color, i) => {
    const v = [m[o + 3 * i], m[o + 3 * i + 1], m[o + 3 * i + 2]], length = Math.hypot(...v) || 1;
    pen.strokeStyle = color; pen.lineWidth = node === state.node ? 2.5 : 1.2;
    line(from, project(...p.map((x, j) => x + v[j] / length * reach)));
  });
}

/**
 * The signs of the tree: rings and dots for nodes and joints, squares for meshes, triangles for
 * cameras.
 */
function drawNodes(points) {
  const size = Math.max(1.4, Math.min(4.5, 40 / Math.sqrt(count)));
  for (const node of order) {
    const [x, y, far] = points[node];
    if (far <= eye.near || isShell(node) && $("meshes").checked) continue;
    const kind = scene.kinds[node], s = Math.max(1.2, Math.min(2 * size, size * camera.distance / far));
    pen.fillStyle = pen.strokeStyle = kind === "m" ? theme.dim : kind === "s" ? "#b86fd0" : kind === "c" ? theme.ink : `hsl(${hue(node)}, 85%, ${theme.bones + 8}%)`;
    pen.beginPath();
    if (kind === "m") pen.rect(x - s * 0.7, y - s * 0.7, s * 1.4, s * 1.4);
    else if (kind === "s") { pen.moveTo(x, y - 1.4 * s); pen.lineTo(x + 1.4 * s, y); pen.lineTo(x, y + 1.4 * s); pen.lineTo(x - 1.4 * s, y); pen.closePath(); }
    else if (kind === "c") { pen.moveTo(x, y - 1.4 * s); pen.lineTo(x + 1.3 * s, y + s); pen.lineTo(x - 1.3 * s, y + s); pen.closePath(); }
    else pen.arc(x, y, s, 0, 7);
    if (kind === "n") { pen.lineWidth = s > 3 ? 1.2 : 0.8; pen.stroke(); } else pen.fill();
  }
}

function drawTrail(node) {
  pen.lineWidth = 1.5;
  let last = null;
  for (let frame = 0; frame < current().frames; frame++) {
    const point = project(...position(node, frame));
    pen.globalAlpha = frame <= state.frame ? 0.8 : 0.3;
    pen.strokeStyle = theme.accent;
    if (last) line(last, point);
    last = point;
  }
  pen.globalAlpha = 1;
}

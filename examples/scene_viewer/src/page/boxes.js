// Without WebGL 2: boxes instead of meshes, painted from the farthest to the nearest.

const FACES = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
const LIGHT = (v => { const l = Math.hypot(...v); return v.map(x => x / l); })([0.5, 0.9, 0.6]);
let faces = [];

function drawBoxes() {
  faces = [];
  (scene.boxes ?? []).forEach((box, node) => {
    if (!box) return;
    const corners = cornersOf(box).map(corner => transform(state.matrices, at(node), corner)), points = corners.map(c => project(...c));
    if (points.some(p => p[2] <= eye.near)) return;
    for (const face of FACES) {
      const [a, b, , d] = face.map(i => corners[i]);
      const [u, v] = [[0, 1, 2].map(i => b[i] - a[i]), [0, 1, 2].map(i => d[i] - a[i])];
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const lit = Math.abs(dot(n, LIGHT)) / (Math.hypot(...n) || 1);
      const polygon = face.map(i => points[i]);
      faces.push({ far: polygon.reduce((s, p) => s + p[2], 0) / 4, polygon, lit, node, color: box[2] });
    }
  });
  faces.sort((a, b) => b.far - a.far);
  for (const { polygon, lit, node, color } of faces) {
    const k = 0.25 + 0.6 * lit, rgb = color.map(c => Math.round(255 * Math.sqrt(c) * k));
    pen.fillStyle = `rgba(${rgb}, 0.82)`;
    pen.strokeStyle = node === state.node ? theme.accent : `rgba(${rgb.map(c => c >> 1)}, 0.9)`;
    pen.lineWidth = node === state.node ? 1.6 : 0.6;
    pen.beginPath();
    polygon.forEach(([x, y]) => pen.lineTo(x, y));
    pen.closePath(); pen.fill(); pen.stroke();
  }
}

/** The node of the foremost box at a place of the screen; -1 for none. */
function nodeOfBox(x, y) {
  const inside = polygon => polygon.reduce((odd, [ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length];
    return (ay > y) !== (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax ? !odd : odd;
  }, false);
  return faces.findLast(face => inside(face.polygon))?.node ?? -1;
}

// Names: of nodes near the camera, as far as there is room, of the node below the pointer, and of
// the chosen one.

const MOST_LABELS = 50;
let hovered = -1;

function drawLabel(point, text, color) {
  pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  pen.lineWidth = 3; pen.lineJoin = "round"; pen.strokeStyle = theme.halo; pen.fillStyle = color;
  pen.strokeText(text, point[0] + 9, point[1] - 6); pen.fillText(text, point[0] + 9, point[1] - 6);
}

/**
 * Nearest first; no name covers another, and the far half of the scene has none. Returns the places
 * of the names.
 */
function drawNames(points) {
  pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  const { left, right, bottom } = clearing(), taken = [];
  const near = order.filter(node => {
    const [x, y, far] = points[node];
    return far > eye.near && far < camera.distance + radius * 0.1 && x > left && x < right && y > 0 && y < bottom && !isShell(node);
  });
  near.sort((a, b) => points[a][2] - points[b][2]);
  for (const node of near) {
    if (taken.length >= MOST_LABELS) break;
    const [x, y] = points[node], box = [x + 6, y - 20, x + 14 + pen.measureText(scene.names[node]).width, y];
    if (box[2] > width || taken.some(other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
    taken.push(box);
    drawLabel(points[node], scene.names[node], theme.ink);
  }
  return taken;
}

/** The node that is nearest to a place of the screen, within a finger's width; -1 for none. */
function nodeNear(x, y) {
  let best = -1, nearest = 13;
  points.forEach((p, node) => {
    const d = Math.hypot(p[0] - x, p[1] - y) + (p[2] / camera.distance) * 2;
    if (p[2] > eye.near && d < nearest && !(isShell(node) && $("meshes").checked)) [best, nearest] = [node, d];
  });
  return best;
}

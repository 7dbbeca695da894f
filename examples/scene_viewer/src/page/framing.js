// From where what is wanted is seen.

/**
 * How many times the largest mesh is a scene of which only dots would be seen, how many of those
 * make a picture all the same, and how many times the largest mesh is a place in it.
 */
const DOTS = 150, PICTURE = 20, PLACE = 30;

/** Everything in view, or as much as can be seen, and the scene's measure taken. */
let frameAll = () => {
  const { points, text } = framed();
  const [low, high] = boxAround(points);
  radius = halfOf([low, high]) || 1;
  detail = Math.min(radius, detail || radius);
  floor = low[1];
  $("extent").textContent = text;
  $("ground").parentElement.title = `at the lowest point; squares of ${lengthText(gridStep())}`;
  fit(points, 0);
  camera.isMoved = false;
};

const halfOf = ([low, high]) => Math.hypot(...high.map((x, i) => (x - low[i]) / 2));

/**
 * What is framed: all, or one place, where the largest mesh of all would be a dot. That is where
 * most meshes are: the fullest cube of those that are PLACE times as large as the largest mesh.
 *
 * An example: meshes of 0.1 m, three of them at 0 and one at 12 km. All of it on 800 pixels would
 * give each less than a hundredth of one; so the three are framed. A forest is framed whole: each
 * tree is a dot, but together they are a picture.
 */
function framed() {
  const all = shownPoints(order), whole = halfOf(boxAround(all)), meshes = drawnBoxes();
  const largest = meshes.reduce((most, { half }) => Math.max(most, half), 0);
  reach = whole || 1;
  detail = largest;
  const extent = whole ? `, extent ${lengthText(2 * whole)}` : "";
  const covered = meshes.reduce((sum, { half }) => sum + half * half, 0);
  if (!(largest > 0 && whole > DOTS * largest && covered < PICTURE * (whole / DOTS) ** 2)) return { points: all, text: extent };
  const cubes = new Map(), size = PLACE * largest;
  for (const mesh of meshes) {
    const key = mesh.middle.map(x => Math.floor(x / size)).join();
    if (!cubes.has(key)) cubes.set(key, []);
    cubes.get(key).push(mesh);
  }
  const fullest = [...cubes.values()].reduce((a, b) => b.length > a.length ? b : a);
  const rest = meshes.length - fullest.length, text = `${extent}, largest mesh ${lengthText(2 * largest)}: ${fullest.length} of ${counted(meshes.length, "mesh", "meshes")} ` +
    `${fullest.length === 1 ? "is" : "are"} in view${rest ? "; choose another and frame it" : ""}`;
  return { points: fullest.flatMap(({ corners }) => corners), text };
}

/** The boxes of drawn nodes in the frame that is shown. */
function drawnBoxes() {
  const boxes = [];
  for (const node of order) {
    const corners = partsOf(node, true).flatMap(([carrier, low, high]) => cornersOf([low, high]).map(corner => transform(state.matrices, at(carrier), corner)));
    if (!corners.length || !corners.flat().every(Number.isFinite)) continue;
    const box = boxAround(corners);
    boxes.push({ node, corners, half: halfOf(box), middle: box[0].map((x, i) => (x + box[1][i]) / 2) });
  }
  return boxes;
}

function allBelow(node) {
  const below = [];
  for (let open = [node]; open.length;) { const next = open.pop(); below.push(next); open.push(...children[next]); }
  return below;
}

/** A node and all below it. */
let frameNode = node => {
  const below = allBelow(node), points = shownPoints(below, [state.frame]), isDrawn = below.some(node => partsOf(node, false).length);
  fit(points, isDrawn ? Math.min(radius, detail) * 0.08 : radius * 0.08);
};

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

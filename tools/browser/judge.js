// Runs in the page: what should be drawn, worked out triangle by triangle from the scene's matrices, against what is drawn.

/** Where a primitive's vertices are in the world: morphed, then placed by the node's matrix or blended from the joints'. */
function judgedPlaces(node, primitive) {
  const m = state.matrices, skin = skinOf(node), mixes = primitive.morphs.length ? mixOf(node) : [], places = [];
  const through = (o, p) => transform(m, o, p);
  for (let v = 0; v < primitive.vertices; v++) {
    let p = [0, 1, 2].map(i => primitive.positions[3 * v + i]);
    primitive.morphs.forEach(([moved], target) => { if (moved) p = p.map((x, i) => x + mixes[target] * moved[3 * v + i]); });
    if (!isSkinned(node, primitive)) { places.push(through(at(node), p)); continue; }
    const place = [0, 0, 0];
    for (let i = 4 * v; i < 4 * v + 4; i++) {
      const joint = primitive.jointNumbers[i], part = through(at(skin.joints[joint]), transform(skin.inverses, 12 * joint, p));
      part.forEach((x, axis) => { place[axis] += primitive.jointWeights[i] * x; });
    }
    places.push(place);
  }
  return places;
}

const trianglesOf = ({ mode, order, vertices }) => {
  const all = order ?? Array.from({ length: vertices }, (_, i) => i);
  return mode === 4 ? Array.from({ length: Math.floor(all.length / 3) }, (_, i) => [all[3 * i], all[3 * i + 1], all[3 * i + 2]]) : [];
};

/** Fills the pixels whose middles lie inside a triangle [x, y, distance] and nearer than what is there. */
function fillTriangle([a, b, c], number, numbers, depths) {
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
  if (!area) return;
  const range = (axis, most) => { const xs = [a[axis], b[axis], c[axis]]; return [Math.max(0, Math.floor(Math.min(...xs))), Math.min(most - 1, Math.ceil(Math.max(...xs)))]; };
  const [[x0, x1], [y0, y1]] = [range(0, width), range(1, height)];
  for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) {
    const [px, py] = [x + 0.5, y + 0.5];
    const u = ((b[0] - px) * (c[1] - py) - (c[0] - px) * (b[1] - py)) / area, v = ((c[0] - px) * (a[1] - py) - (a[0] - px) * (c[1] - py)) / area;
    if (u < 0 || v < 0 || u + v > 1) continue;
    // The inverse of the distance is what is even over the screen.
    const nearness = u / a[2] + v / b[2] + (1 - u - v) / c[2];
    if (nearness > depths[y * width + x]) { depths[y * width + x] = nearness; numbers[y * width + x] = number; }
  }
}

/** Counts the pixels that should be covered, that are, and that show another node than they should. */
function judgeDrawing() {
  draw();
  const expected = new Int32Array(width * height).fill(-1), depths = new Float64Array(width * height);
  for (const node of order) for (const primitive of primitivesOf(node)) {
    const places = judgedPlaces(node, primitive), screen = places.map(p => project(...p)), skin = skinOf(node);
    const o = isSkinned(node, primitive) ? skin.joints[0] : node, oneSided = !geometry.materials[primitive.material].twoSided;
    const mirrored = isMirrored(state.matrices, at(o)) !== (o !== node && isMirrored(skin.inverses, 0));
    for (const triangle of trianglesOf(primitive)) {
      const [a, b, c] = triangle.map(i => screen[i]);
      // Counterclockwise is in front; the screen's y points down.
      const front = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]) < 0;
      if ([a, b, c].every(p => p[2] > eye.near) && !(oneSided && front === mirrored)) fillTriangle([a, b, c], node, expected, depths);
    }
  }
  return compare(expected, numbersShown());
}

/** What the graphics card draws, row by row from the top. */
function numbersShown() {
  const pixels = nodeNumbers(0, 0, width, height), shown = new Int32Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) shown[y * width + x] = nodeIn(pixels, (height - 1 - y) * width + x);
  return shown;
}

/** A pixel is wrong if what it shows, or should show, is not within one pixel in the other picture: edges may fall to either side. */
function compare(expected, shown) {
  const result = { expected: 0, drawn: 0, wrong: 0 };
  const near = (picture, x, y, number) => [-1, 0, 1].some(dy => [-1, 0, 1].some(dx =>
    x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height && picture[(y + dy) * width + x + dx] === number));
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const [should, is] = [expected[y * width + x], shown[y * width + x]];
    if (should >= 0) result.expected++;
    if (is >= 0) result.drawn++;
    if (should !== is && !(near(expected, x, y, is) && near(shown, x, y, should))) result.wrong++;
  }
  return result;
}

/** A pixel that shows a node, far from its edges, for each node that has one. */
function pixelsOfNodes() {
  draw();
  const shown = numbersShown(), reach = 3, places = new Map();
  for (let y = reach; y < height - reach; y++) for (let x = reach; x < width - reach; x++) {
    const node = shown[y * width + x], shows = (dx, dy) => shown[(y + dy) * width + x + dx] === node;
    if (node < 0 || places.has(node) || ![-reach, reach].every(d => shows(d, 0) && shows(0, d))) continue;
    if (document.elementFromPoint(x, y) === canvas) places.set(node, [x, y]);
  }
  return [...places];
}

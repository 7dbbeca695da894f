// The boxes of drawn nodes: one box for a mesh that the node's matrix places, one for each joint's
// part of a skinned mesh.

/**
 * By node: [carrier, low, high] in the space of the carrier: the node itself, or a joint of its
 * skin.
 */
const parts = [];
/** Likewise what a joint carries of the meshes of other nodes. */
const jointParts = [];

function measureParts() {
  for (const node of order) {
    const boxes = new Map(), skin = skinOf(node);
    for (const primitive of primitivesOf(node)) {
      if (isSkinned(node, primitive)) measureSkinned(primitive, skin, boxes); else measurePlain(primitive, boxes);
    }
    parts[node] = [...boxes].map(([carrier, [low, high]]) => [carrier < 0 ? node : carrier, low, high]);
    for (const part of parts[node]) if (part[0] !== node) (jointParts[part[0]] ??= []).push(part);
  }
}

function widen(boxes, joint, point) {
  const box = boxes.get(joint) ?? [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  boxes.set(joint, box);
  for (let i = 0; i < 3; i++) { box[0][i] = Math.min(box[0][i], point[i]); box[1][i] = Math.max(box[1][i], point[i]); }
}

/** A vertex and the places that its morph targets alone would move it to. */
function* placesOf(primitive, vertex) {
  const p = primitive.positions.subarray(3 * vertex, 3 * vertex + 3);
  yield p;
  for (const [moved] of primitive.morphs) if (moved) yield p.map((x, i) => x + moved[3 * vertex + i]);
}

function measurePlain(primitive, boxes) {
  for (let v = 0; v < primitive.vertices; v++) for (const place of placesOf(primitive, v)) widen(boxes, -1, place);
}

function measureSkinned(primitive, skin, boxes) {
  for (let v = 0; v < primitive.vertices; v++) for (let i = 4 * v; i < 4 * v + 4; i++) {
    if (primitive.jointWeights[i] < 0.05) continue;
    const joint = primitive.jointNumbers[i];
    for (const place of placesOf(primitive, v)) widen(boxes, skin.joints[joint], transform(skin.inverses, 12 * joint, place));
  }
}

const cornersOf = ([low, high]) => [...Array(8).keys()].map(i => [(i & 1 ? high : low)[0], (i & 2 ? high : low)[1], (i & 4 ? high : low)[2]]);

const MOST_POINTS = 20000;

/**
 * The boxes of a node and, unless all nodes are wanted, of others' meshes that it carries as a
 * joint.
 */
function partsOf(node, isAll) {
  if (!gl) return scene.boxes?.[node] ? [[node, ...scene.boxes[node]]] : [];
  return isAll ? parts[node] : [...parts[node], ...jointParts[node] ?? []];
}

/**
 * Corners, in the world, of the boxes of these nodes in some frames of the clip. Nodes without
 * boxes give their places.
 */
function shownPoints(nodes, frames) {
  const last = current().frames - 1;
  frames ??= [...new Set([0, 1, 2, 3, 4, 5, 6, 7, 8].map(i => Math.round(last * i / 8)))];
  const drawn = [], places = [];
  for (const frame of frames) for (const node of nodes) {
    for (const [carrier, low, high] of partsOf(node, nodes === order)) {
      for (const corner of cornersOf([low, high])) drawn.push(transform(state.matrices, at(carrier, frame), corner));
    }
    if (!drawn.length) places.push(position(node, frame));
  }
  const points = (drawn.length ? drawn : places).filter(point => point.every(Number.isFinite));
  if (points.length > MOST_POINTS) return cornersOf(boxAround(points));
  return points.length ? points : [[0, 0, 0]];
}

function boxAround(points) {
  const box = new Map();
  for (const point of points) widen(box, -1, point);
  return box.get(-1);
}

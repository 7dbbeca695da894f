// The scene's data, and what follows from it.

const scene = JSON.parse($("data").textContent);
const count = scene.names.length;
const KIND = { m: ["mesh", "■"], s: ["skinned mesh", "◆"], j: ["joint", "●"], c: ["camera", "▲"], l: ["light", "✶"], n: ["node", "○"] };

/** By node; siblings are in the file's order. Nodes that animations carry along are `carried`. */
let children = [], roots = [], depth = new Int32Array(0), placeOf = new Int32Array(0), carried = new Uint8Array(0);
/** All nodes, parents first: each subtree in one piece. */
let order = [];
let deepest = 0, isStill = true;
/**
 * The parents, with each cycle cut above one of its nodes. An example: 4 is below 7, and 7 below 4.
 * Then 4 has no parent here, and 7 is below it.
 */
let above = scene.parents;

/** Follows from `scene.parents`. */
function linkAll() {
  above = cutCycles(scene.parents);
  children = scene.names.map(() => []);
  roots = [];
  above.forEach((parent, node) => (parent >= 0 ? children[parent] : roots).push(node));
  [depth, placeOf, order] = [new Int32Array(count), new Int32Array(count), []];
  // Without recursion: chains are long.
  for (let stack = [...roots].reverse(); stack.length;) {
    const node = stack.pop();
    order.push(node);
    for (let i = children[node].length - 1; i >= 0; i--) {
      depth[children[node][i]] = depth[node] + 1;
      stack.push(children[node][i]);
    }
  }
  deepest = depth.reduce((a, b) => Math.max(a, b), 0);
  for (const siblings of [roots, ...children]) siblings.forEach((node, place) => { placeOf[node] = place; });
  // Other nodes are drawn faintly, unless nothing moves at all.
  carried = Uint8Array.from(scene.moves);
  for (const node of order) if (above[node] >= 0 && carried[above[node]]) carried[node] = 1;
  isStill = !carried.includes(1);
}

function cutCycles(parents) {
  const cut = [...parents], seenFrom = new Int32Array(count).fill(-1);
  for (let start = 0; start < count; start++) {
    let node = start, isNew = false;
    while (node >= 0 && seenFrom[node] < 0) { [seenFrom[node], isNew] = [start, true]; node = cut[node]; }
    // The walk has come back to a node of its own.
    if (isNew && node >= 0 && seenFrom[node] === start) cut[node] = -1;
  }
  return cut;
}

linkAll();
const siblingsOf = node => above[node] < 0 ? roots : children[above[node]];
/** A stand-in, where the file gives no name, is slanted. */
const nameOf = node => element(scene.unnamed?.[node] ? "em" : "span", scene.names[node]);
/** A mesh and nothing more. */
const isShell = node => "ms".includes(scene.kinds[node]) && !children[node].length;

// The scene's data, and what follows from it.

const $ = id => document.getElementById(id);
const scene = JSON.parse($("data").textContent);
const count = scene.names.length;
const KIND = { m: ["mesh", "■"], s: ["skinned mesh", "◆"], j: ["joint", "●"], c: ["camera", "▲"], n: ["node", "○"] };
const children = scene.names.map(() => []);
scene.parents.forEach((parent, node) => { if (parent >= 0) children[parent].push(node); });

// Parents first, with depth, without recursion.
const depth = new Int32Array(count), order = [];
for (let stack = scene.parents.flatMap((p, n) => p < 0 ? [n] : []).reverse(); stack.length;) {
  const node = stack.pop();
  order.push(node);
  for (let i = children[node].length - 1; i >= 0; i--) {
    depth[children[node][i]] = depth[node] + 1;
    stack.push(children[node][i]);
  }
}
const deepest = depth.reduce((a, b) => Math.max(a, b), 0);
const roots = order.filter(node => scene.parents[node] < 0);
const siblingsOf = node => scene.parents[node] < 0 ? roots : children[scene.parents[node]];
/** Of each node among its siblings. */
const placeOf = new Int32Array(count);
for (const siblings of [roots, ...children]) siblings.forEach((node, place) => { placeOf[node] = place; });
// What no animation carries along is drawn faintly, unless nothing moves at all.
const carried = Uint8Array.from(scene.moves);
for (const node of order) if (scene.parents[node] >= 0 && carried[scene.parents[node]]) carried[node] = 1;
const isStill = !carried.includes(1);
// A mesh and nothing more.
/** A stand-in, where the file gives no name, is slanted. */
const nameOf = node => element(scene.unnamed?.[node] ? "em" : "span", scene.names[node]);
const counted = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
const element = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
const isShell = node => "ms".includes(scene.kinds[node]) && !children[node].length;

// The matrices of a glTF file's nodes at a time, worked out from the file alone: the judge of the matrices in the page.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The JSON and the buffers of a .gltf or .glb file. */
export function readScene(path) {
  const bytes = readFileSync(path), isBinary = bytes.toString("latin1", 0, 4) === "glTF";
  const length = isBinary ? bytes.readUInt32LE(12) : bytes.length;
  const json = JSON.parse(isBinary ? bytes.subarray(20, 20 + length) : bytes);
  const buffers = (json.buffers ?? []).map(({ uri }) => {
    if (uri === undefined) return bytes.subarray(20 + length + 8);
    return uri.startsWith("data:") ? Buffer.from(uri.split(",")[1], "base64") : readFileSync(join(dirname(path), decodeURI(uri)));
  });
  const scene = { json, buffers };
  spread(scene);
  return scene;
}

/** Instances of a mesh (EXT_mesh_gpu_instancing) are children of their node, after all nodes of the file. */
function spread(scene) {
  for (const node of [...scene.json.nodes ?? []]) {
    const places = node.extensions?.EXT_mesh_gpu_instancing?.attributes;
    if (!places) continue;
    const [translations, rotations, scales] = ["TRANSLATION", "ROTATION", "SCALE"].map(name => places[name] === undefined ? null : floats(scene, places[name]));
    (translations ?? rotations ?? scales).forEach((_, i) => {
      (node.children ??= []).push(scene.json.nodes.length);
      scene.json.nodes.push({ translation: translations?.[i], rotation: rotations?.[i], scale: scales?.[i] });
    });
  }
}

function floats({ json, buffers }, index) {
  const accessor = json.accessors[index], view = json.bufferViews[accessor.bufferView];
  const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[accessor.type], stride = view.byteStride ?? 4 * width;
  const bytes = buffers[view.buffer], start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  return Array.from({ length: accessor.count }, (_, i) =>
    Array.from({ length: width }, (_, j) => bytes.readFloatLE(start + i * stride + 4 * j)));
}

const mix = (a, b, u) => a.map((x, i) => x + (b[i] - x) * u);
const unit = q => { const length = Math.hypot(...q); return q.map(x => x / length); };

function slerp(a, b, u) {
  [a, b] = [unit(a), unit(b)];
  let cos = a.reduce((sum, x, i) => sum + x * b[i], 0);
  if (cos < 0) { b = b.map(x => -x); cos = -cos; }
  const angle = Math.acos(Math.min(1, cos));
  if (angle < 1e-6) return mix(a, b, u);
  return a.map((x, i) => (x * Math.sin((1 - u) * angle) + b[i] * Math.sin(u * angle)) / Math.sin(angle));
}

/** The value of a sampler at a time. */
function sample(scene, sampler, path, time) {
  const times = floats(scene, sampler.input).flat(), values = floats(scene, sampler.output), last = times.length - 1;
  let key = times.findLastIndex(t => t <= time);
  if (key < 0) key = 0;
  const next = Math.min(key + 1, last), gap = times[next] - times[key], u = gap > 0 ? Math.min(1, Math.max(0, (time - times[key]) / gap)) : 0;
  if (sampler.interpolation === "STEP") return values[key];
  if (sampler.interpolation !== "CUBICSPLINE") return (path === "rotation" ? slerp : mix)(values[key], values[next], u);
  const [v, out, into, w] = [values[3 * key + 1], values[3 * key + 2], values[3 * next], values[3 * next + 1]], [u2, u3] = [u * u, u * u * u];
  return v.map((x, i) => (2 * u3 - 3 * u2 + 1) * x + gap * (u3 - 2 * u2 + u) * out[i] + (3 * u2 - 2 * u3) * w[i] + gap * (u3 - u2) * into[i]);
}

function matrix({ matrix: given, translation: t = [0, 0, 0], rotation = [0, 0, 0, 1], scale: s = [1, 1, 1] }) {
  if (given) return [0, 1, 2, 3].flatMap(c => given.slice(4 * c, 4 * c + 3));
  const [x, y, z, w] = unit(rotation);
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)].map(v => v * s[0]),
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)].map(v => v * s[1]),
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)].map(v => v * s[2]),
    t,
  ].flat();
}

const product = (a, b) => [0, 1, 2, 3].flatMap(c => [0, 1, 2].map(r =>
  a[r] * b[3 * c] + a[3 + r] * b[3 * c + 1] + a[6 + r] * b[3 * c + 2] + (c === 3 ? a[9 + r] : 0)));

/** Twelve numbers a node, column by column; `animation` is its number, or -1 for the rest pose. */
export function pose(scene, animation, time) {
  const nodes = (scene.json.nodes ?? []).map(node => ({ ...node }));
  const { channels = [], samplers } = scene.json.animations?.[animation] ?? {};
  for (const { sampler, target: { node, path } } of channels) {
    if (node !== undefined && path !== "weights") nodes[node][path] = sample(scene, samplers[sampler], path, time);
  }
  const parents = nodes.map(() => -1), worlds = [];
  nodes.forEach((node, parent) => node.children?.forEach(child => { parents[child] = parent; }));
  const world = node => worlds[node] ??= parents[node] < 0 ? matrix(nodes[node]) : product(world(parents[node]), matrix(nodes[node]));
  return nodes.map((_, node) => world(node));
}

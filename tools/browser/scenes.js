// Small scenes with what the shipped one lacks: one that stands still, with a mirrored node and blue textures; one with a
// morph target and several animations; one mesh in many places; tiny things far apart;
// ten thousand nodes; an empty one.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const floats = numbers => Buffer.from(Float32Array.from(numbers).buffer);

/** A glTF file out of parts of a buffer: [type, component type, numbers]. */
function file(name, json, parts) {
  const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }, chunks = [];
  let at = 0;
  json.accessors = parts.map(([type, component, numbers], i) => {
    const rows = Array.from({ length: numbers.length / widths[type] }, (_, r) => numbers.slice(r * widths[type], (r + 1) * widths[type]));
    const bound = pick => Array.from({ length: widths[type] }, (_, c) => Math.fround(pick(...rows.map(row => row[c]))));
    return { bufferView: i, componentType: component, count: rows.length, type, min: bound(Math.min), max: bound(Math.max) };
  });
  json.bufferViews = parts.map(([, component, numbers]) => {
    const bytes = component === 5126 ? floats(numbers) : Buffer.from(numbers), view = { buffer: 0, byteOffset: at, byteLength: bytes.length };
    chunks.push(bytes, Buffer.alloc((4 - bytes.length % 4) % 4));
    at += bytes.length + (4 - bytes.length % 4) % 4;
    return view;
  });
  const all = Buffer.concat(chunks);
  json.buffers = [{ byteLength: all.length, uri: `data:application/octet-stream;base64,${all.toString("base64")}` }];
  json.asset = { version: "2.0" };
  writeFileSync(join(process.argv[2], name), JSON.stringify(json));
}

// One pixel.
const BLUE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mMQUPgPAAFzATAxMtkUAAAAAElFTkSuQmCC";
const BLUE_JPEG = [
  "/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAA",
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  "AAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAA",
  "ABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1",
  "AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAP",
  "KnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/",
  "2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi",
  "9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAABAAEDASIAAhEBAxEB/8QAFQABAQAA",
  "AAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABAb/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9",
  "oADAMBAAIRAxEAPwCZAWwb/9k="
].join("");
const TRIANGLE = ["VEC3", 5126, [0, 0, 0, 1, 0, 0, 0, 1, 0]];

file("still.gltf", {
  nodes: [
    { name: "group", children: [1, 2, 3, 4, 5, 6] }, { name: "one", mesh: 0 },
    { name: "mirrored", mesh: 0, translation: [-0.2, 0, 0.3], scale: [-1, 1, 1] }, { name: "blue", mesh: 1, translation: [0, 1.2, 0] },
    { name: "blue", mesh: 2, translation: [1.2, 1.2, 0] }, { name: "lamp", translation: [0, 1, 1], extensions: { KHR_lights_punctual: { light: 0 } } },
    { name: "eye", translation: [0.5, 0.5, 2], camera: 0 },
  ],
  cameras: [{ type: "perspective", perspective: { yfov: 0.5, znear: 0.1 } }],
  extensions: { KHR_lights_punctual: { lights: [{ type: "point", intensity: 5 }] } },
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }, ...[0, 1].map(material => ({ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material }] }))],
  materials: [0, 1].map(index => ({ pbrMetallicRoughness: { baseColorTexture: { index } } })),
  textures: [{ source: 0 }, { source: 1 }],
  images: [{ uri: `data:image/png;base64,${BLUE}` }, { bufferView: 2, mimeType: "image/jpeg" }],
}, [TRIANGLE, ["VEC2", 5126, [0, 0, 1, 0, 0, 1]], ["SCALAR", 5121, [...Buffer.from(BLUE_JPEG, "base64")]]]);

// A strip that the upper of two joints bends, and that bulges by a morph target; each has an animation.
const rows = [0, 0.5, 1, 1.5, 2], half = Math.SQRT1_2;
file("strip.gltf", {
  nodes: [{ name: "strip", mesh: 0, skin: 0 }, { name: "lower", children: [2] }, { name: "upper", translation: [0, 1, 0] }],
  skins: [{ joints: [1, 2], inverseBindMatrices: 5 }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 2 }, indices: 3, material: 0, targets: [{ POSITION: 4 }] }] }],
  materials: [{ doubleSided: true, pbrMetallicRoughness: { baseColorFactor: [0.9, 0.4, 0.2, 1] } }],
  animations: [
    { name: "bend", samplers: [{ input: 6, output: 7 }], channels: [{ sampler: 0, target: { node: 2, path: "rotation" } }] },
    { name: "bulge", samplers: [{ input: 6, output: 8 }], channels: [{ sampler: 0, target: { node: 0, path: "weights" } }] },
    // Nothing that is known here moves; the file opens all the same.
    { name: "glow", samplers: [{ input: 6, output: 8 }], channels: [{ sampler: 0, target: { path: "pointer",
      extensions: { KHR_animation_pointer: { pointer: "/materials/0/alphaCutoff" } } } }] },
  ],
  extensionsUsed: ["KHR_animation_pointer"],
}, [
  ["VEC3", 5126, rows.flatMap(y => [-0.3, y, 0, 0.3, y, 0])],
  ["VEC4", 5121, rows.flatMap(() => [0, 1, 0, 0, 0, 1, 0, 0])],
  ["VEC4", 5126, rows.flatMap(y => { const upper = Math.max(0, Math.min(1, y - 0.5)); return [1 - upper, upper, 0, 0, 1 - upper, upper, 0, 0]; })],
  ["SCALAR", 5121, [0, 1, 2, 3].flatMap(i => [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 2, 2 * i + 1, 2 * i + 3])],
  ["VEC3", 5126, rows.flatMap(y => { const x = 0.5 * Math.sin(Math.PI * y / 2); return [-x, 0, 0, x, 0, 0]; })],
  ["MAT4", 5126, [0, -1].flatMap(y => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1])],
  ["SCALAR", 5126, [0, 1]],
  ["VEC4", 5126, [0, 0, 0, 1, 0, 0, half, half]],
  ["SCALAR", 5126, [0, 1]],
]);

// One triangle in twenty places, of which the node turns in its animation.
const places = Array.from({ length: 20 }, (_, i) => i);
file("instances.gltf", {
  nodes: [{ name: "wheel", children: [1] }, { name: "blade", mesh: 0, translation: [0, 1, 0], scale: [2, 1, 1], extensions: {
    EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: 1, ROTATION: 2, SCALE: 3 } } } }, { name: " " }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
  materials: [{ doubleSided: true, pbrMetallicRoughness: { baseColorFactor: [0.3, 0.8, 0.4, 1] } }],
  animations: [{ name: "turn", samplers: [{ input: 4, output: 5 }], channels: [{ sampler: 0, target: { node: 0, path: "rotation" } }] }],
  extensionsUsed: ["EXT_mesh_gpu_instancing"], extensionsRequired: ["EXT_mesh_gpu_instancing"],
}, [
  TRIANGLE,
  ["VEC3", 5126, places.flatMap(i => [1.5 * (i % 5), 1.5 * Math.floor(i / 5), 0.2 * i])],
  ["VEC4", 5126, places.flatMap(i => [0, 0, Math.sin(i / 8), Math.cos(i / 8)])],
  ["VEC3", 5126, places.flatMap(i => [1, 1 - i / 40, 1])],
  ["SCALAR", 5126, [0, 1]],
  ["VEC4", 5126, [0, 0, 0, 1, 0, half, 0, half]],
]);

// Triangles of 14 cm: three beside each other, and one 12 km away.
file("far.gltf", {
  nodes: [[12300, 0, 0], [0, 0, 0], [0.3, 0, 0], [0, 0, 0.4]].map((translation, i) => ({ name: ["far", "a", "b", "c"][i], mesh: 0, translation })),
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }], materials: [{ doubleSided: true }],
}, [["VEC3", 5126, [0, 0, 0, 0.1, 0, 0, 0, 0.1, 0]]]);

// Ten thousand nodes, ten below each, of which the upper levels begin unfolded.
const many = Array.from({ length: 10000 }, (_, i) => i), below = i => many.slice(10 * i + 1, 10 * i + 11);
file("many.gltf", { nodes: many.map(i => ({ translation: [i % 7, 1, i % 11], ...(below(i).length ? { children: below(i) } : {}) })) }, []);

writeFileSync(join(process.argv[2], "empty.gltf"), JSON.stringify({ asset: { version: "2.0" } }));

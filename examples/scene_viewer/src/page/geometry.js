// Meshes, skins and images as they come in the page, and what follows from a frame's matrices.

const geometry = { meshes: [], skins: [], materials: [], images: [], ...scene.geometry };
const firstWeight = [];
const allWeights = scene.weights?.reduce((sum, n) => { firstWeight.push(sum); return sum + n; }, 0) ?? 0;

async function unpackGeometry() {
  if (!geometry.data) return;
  const { buffer } = await inflate(geometry.data);
  const floats = (from, length) => from === undefined || from === null ? null : new Float32Array(buffer, from, length);
  for (const primitive of geometry.meshes.flat()) {
    const n = primitive.vertices;
    primitive.positions = floats(primitive.position, 3 * n);
    primitive.normals = floats(primitive.normal, 3 * n);
    primitive.uvs = floats(primitive.uv, 2 * n);
    primitive.colors = primitive.color === undefined ? null : new Uint8Array(buffer, primitive.color, 4 * n);
    primitive.jointWeights = floats(primitive.weights, 4 * n);
    primitive.jointNumbers = primitive.joints === undefined ? null : new Uint16Array(buffer, primitive.joints, 4 * n);
    const Numbers = n > 65535 ? Uint32Array : Uint16Array;
    primitive.order = primitive.indices === undefined ? null : new Numbers(buffer, primitive.indices, primitive.count);
    primitive.morphs = (primitive.targets ?? []).slice(0, 64).map(places => places.map(from => floats(from, 3 * n)));
  }
  for (const skin of geometry.skins) skin.inverses = floats(skin.inverse, 12 * skin.joints.length);
}

/** What is drawn of a node: its mesh and the skin that moves it, if any. */
const drawnOf = node => scene.draws?.[node] ?? null;
const primitivesOf = node => { const drawn = drawnOf(node); return drawn ? geometry.meshes[drawn[0]] : []; };
const skinOf = node => { const drawn = drawnOf(node); return drawn && drawn[1] !== null ? geometry.skins[drawn[1]] : null; };
const isSkinned = (node, primitive) => skinOf(node) !== null && primitive.jointNumbers !== null;
const mixOf = node => { const from = state.frame * allWeights + firstWeight[node]; return state.weights.subarray(from, from + scene.weights[node]); };

/**
 * Joints' matrices of a frame: each joint's LocalToWorld times its inverse bind matrix, 12 numbers,
 * column by column.
 */
function jointMatrices(skin, frame = state.frame) {
  const m = state.matrices, all = new Float32Array(12 * skin.joints.length), b = skin.inverses;
  skin.joints.forEach((node, joint) => {
    const o = at(node, frame), i = 12 * joint;
    for (let column = 0; column < 4; column++) {
      for (let row = 0; row < 3; row++) {
        const j = i + 3 * column;
        all[j + row] = m[o + row] * b[j] + m[o + 3 + row] * b[j + 1] + m[o + 6 + row] * b[j + 2] + (column === 3 ? m[o + 9 + row] : 0);
      }
    }
  });
  return all;
}

/** Whether what the 12 numbers at `o` describe is turned inside out. */
function isMirrored(m, o) {
  const [a, b, c, d, e, f, g, h, i] = m.subarray(o, o + 9);
  return a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e) < 0;
}

// Meshes through WebGL 2: uploaded once, drawn with the matrices of the frame.

const glCanvas = $("meshes-view");
let gl = null, painter = null, lines = null;
/**
 * All [node, primitive]: those that hide what is behind them, primitive by primitive, and those
 * that are seen through.
 */
let solid = [], clear = [];
const imagesThatFail = new Set();

/** Without WebGL 2 everything else still works, and boxes stand for meshes. */
function startMeshes() {
  gl = glCanvas.getContext("webgl2", { alpha: true, antialias: true });
  if (!gl) return;
  try {
    painter = compile(gl, VERTEX, FRAGMENT);
    lines = { ...compile(gl, LINES_VERTEX, LINES_FRAGMENT), buffer: gl.createBuffer(), array: gl.createVertexArray() };
    const white = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, white);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array([255, 255, 255, 255]));
    painter.none = tableTexture(gl, new Float32Array(4), 1, 1);
    for (const primitive of geometry.meshes.flat()) uploadPrimitive(primitive);
    for (const skin of geometry.skins) skin.texture = tableTexture(gl, null, 3, skin.joints.length);
    listDrawn();
    for (const material of geometry.materials) { material.handle = white; if (material.texture) uploadImage(material); }
  } catch (error) {
    console.warn(`meshes are shown as boxes: ${error.message}`);
    gl = null;
  }
}
glCanvas.addEventListener("webglcontextlost", event => event.preventDefault());
glCanvas.addEventListener("webglcontextrestored", () => { startMeshes(); dirty = true; });

/** Instances of one mesh stand in a row, so that little is to be set between them. */
function listDrawn() {
  [solid, clear] = [[], []];
  for (const node of order) for (const primitive of primitivesOf(node)) {
    (geometry.materials[primitive.material].blends ? clear : solid).push([node, primitive]);
  }
  const rank = new Map(geometry.meshes.flat().map((primitive, i) => [primitive, i]));
  solid.sort((a, b) => rank.get(a[1]) - rank.get(b[1]));
}

function uploadPrimitive(primitive) {
  primitive.array = gl.createVertexArray();
  gl.bindVertexArray(primitive.array);
  const attribute = (place, numbers, size, type, whole) => {
    if (!numbers) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    if (whole) gl.vertexAttribIPointer(place, size, type, 0, 0);
    else gl.vertexAttribPointer(place, size, type, type === gl.UNSIGNED_BYTE, 0, 0);
  };
  attribute(0, primitive.positions, 3, gl.FLOAT);
  attribute(1, primitive.normals, 3, gl.FLOAT);
  attribute(2, primitive.uvs, 2, gl.FLOAT);
  attribute(3, primitive.colors, 4, gl.UNSIGNED_BYTE);
  attribute(4, primitive.jointNumbers, 4, gl.UNSIGNED_SHORT, true);
  attribute(5, primitive.jointWeights, 4, gl.FLOAT);
  if (primitive.order) {
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, primitive.order, gl.STATIC_DRAW);
  }
  gl.bindVertexArray(null);
  if (primitive.morphs.length) primitive.morphTexture = morphTexture(primitive);
}

function morphTexture({ morphs, vertices }) {
  const columns = 1024, rows = Math.ceil(morphs.length * 2 * vertices / columns), numbers = new Float32Array(columns * rows * 4);
  morphs.flat().forEach((displacements, part) => {
    for (let i = 0; displacements && i < 3 * vertices; i++) numbers[(part * vertices + Math.floor(i / 3)) * 4 + i % 3] = displacements[i];
  });
  return tableTexture(gl, numbers, columns, rows);
}

/** The browser decodes images. Until then, and where it cannot, the base colour stands alone. */
async function uploadImage(material) {
  const { image: number, wrap, nearest } = material.texture, image = new Image();
  image.src = geometry.images[number];
  try { await image.decode(); } catch {
    if (!imagesThatFail.has(number)) { imagesThatFail.add(number); tell(`image ${number} cannot be decoded`); }
    return;
  }
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_COLORSPACE_CONVERSION_WEBGL, gl.NONE);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, image);
  gl.generateMipmap(gl.TEXTURE_2D);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, wrap[0]);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, wrap[1]);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, nearest ? gl.NEAREST : gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  material.handle = texture;
  dirty = true;
}

/** Draws all meshes; `asNumbers` writes nodes' numbers instead of colours. */
function paintMeshes(asNumbers = false) {
  gl.useProgram(painter.program);
  gl.enable(gl.DEPTH_TEST);
  gl.uniformMatrix4fv(painter.at.view, false, viewMatrix());
  gl.uniform3fv(painter.at.eye, eyePosition());
  gl.uniform1i(painter.at.image, 0); gl.uniform1i(painter.at.skin, 1); gl.uniform1i(painter.at.morphs, 2);
  for (const skin of geometry.skins) loadSkin(skin);
  const far = ([node]) => project(...position(skinOf(node)?.joints[0] ?? node))[2];
  clear.sort((a, b) => far(b) - far(a));
  gl.disable(gl.BLEND);
  paintList(solid, asNumbers);
  if (!asNumbers) { gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA); gl.depthMask(false); }
  paintList(clear, asNumbers);
  gl.depthMask(true);
}

function paintList(list, asNumbers) {
  let last = null, lastSkin = null;
  for (const [node, primitive] of list) {
    const skin = skinOf(node);
    if (primitive !== last || skin !== lastSkin) usePrimitive(primitive, skin);
    [last, lastSkin] = [primitive, skin];
    paintNode(node, primitive, skin, asNumbers);
  }
}

/** Three texels a joint: the rows of its matrix. */
function loadSkin(skin) {
  const m = jointMatrices(skin), rows = new Float32Array(m.length);
  for (let i = 0; i < m.length; i++) rows[i - i % 12 + (i % 3) * 4 + Math.floor(i % 12 / 3)] = m[i];
  skin.mirrored = m.length > 0 && isMirrored(m, 0);
  gl.bindTexture(gl.TEXTURE_2D, skin.texture);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 3, skin.joints.length, gl.RGBA, gl.FLOAT, rows);
}

/** What is the same for all nodes that draw the primitive with a skin, or without one. */
function usePrimitive(primitive, skin) {
  const { at: u } = painter, material = geometry.materials[primitive.material], skinned = skin !== null && primitive.jointNumbers !== null;
  const bind = (unit, texture) => { gl.activeTexture(gl.TEXTURE0 + unit); gl.bindTexture(gl.TEXTURE_2D, texture); };
  bind(2, primitive.morphTexture ?? painter.none);
  bind(1, skinned ? skin.texture : painter.none);
  bind(0, material.handle);
  gl.uniform1i(u.skinned, skinned);
  gl.uniform1i(u.targets, primitive.morphs.length);
  gl.uniform1i(u.vertices, primitive.vertices);
  gl.uniform4fv(u.base, material.color);
  gl.uniform3fv(u.emissive, material.emissive);
  gl.uniform1i(u.textured, material.texture !== null && primitive.uvs !== null);
  if (material.texture) gl.uniformMatrix3x2fv(u.laid, false, material.texture.transform);
  gl.uniform1i(u.lit, !material.unlit && primitive.mode > 3);
  gl.uniform1i(u.smoothed, primitive.normals !== null);
  gl.uniform1f(u.cutoff, material.cutoff ?? 0);
  if (material.twoSided || primitive.mode < 4) gl.disable(gl.CULL_FACE); else gl.enable(gl.CULL_FACE);
  gl.bindVertexArray(primitive.array);
  // What a primitive does not have.
  if (!primitive.normals) gl.vertexAttrib3f(1, 0, 1, 0);
  if (!primitive.colors) gl.vertexAttrib4f(3, 1, 1, 1, 1);
  if (!primitive.jointNumbers) { gl.vertexAttribI4ui(4, 0, 0, 0, 0); gl.vertexAttrib4f(5, 1, 0, 0, 0); }
}

/** What is a node's own. */
function paintNode(node, primitive, skin, asNumbers) {
  const { at: u } = painter, { mode, order, morphs } = primitive;
  gl.uniformMatrix4x3fv(u.world, false, state.matrices, at(node), 12);
  if (morphs.length) gl.uniform1fv(u.mixed, mixOf(node).subarray(0, morphs.length));
  gl.uniform1f(u.chosen, node === state.node ? 1 : 0);
  gl.uniform4f(u.number, (node & 255) / 255, (node >> 8 & 255) / 255, (node >> 16 & 255) / 255, asNumbers ? 1 : 0);
  const mirrored = isSkinned(node, primitive) ? skin.mirrored : isMirrored(state.matrices, at(node));
  gl.uniform1f(u.mirrored, mirrored ? -1 : 1);
  gl.frontFace(mirrored ? gl.CW : gl.CCW);
  if (order) gl.drawElements(mode, order.length, order.BYTES_PER_ELEMENT === 4 ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT, 0);
  else gl.drawArrays(mode, 0, primitive.vertices);
}

/** Lines given as pairs of [x, y, z, strength], hidden by what is before them. */
function paintLines(points, ink) {
  gl.useProgram(lines.program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.bindVertexArray(lines.array);
  gl.bindBuffer(gl.ARRAY_BUFFER, lines.buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points.flat()), gl.DYNAMIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
  gl.uniformMatrix4fv(lines.at.view, false, viewMatrix());
  gl.uniform3fv(lines.at.ink, ink);
  gl.drawArrays(gl.LINES, 0, points.length);
}

/**
 * The nodes whose meshes cover the pixels of the screen, as the graphics card itself finds them:
 * four bytes a pixel, see `nodeIn`.
 */
function nodeNumbers(x, y, columns, rows) {
  const [w, h] = [glCanvas.width, glCanvas.height];
  painter.frame ??= gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, painter.frame);
  const attach = (place, format) => {
    const store = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, store);
    gl.renderbufferStorage(gl.RENDERBUFFER, format, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, store);
    return store;
  };
  const stores = [attach(gl.COLOR_ATTACHMENT0, gl.RGBA8), attach(gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24)];
  gl.viewport(0, 0, w, h);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  paintMeshes(true);
  const pixels = new Uint8Array(4 * columns * rows);
  gl.readPixels(x, h - y - rows, columns, rows, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  stores.forEach(store => gl.deleteRenderbuffer(store));
  return pixels;
}

/** The node of a pixel; -1 for none. */
const nodeIn = (pixels, i) => pixels[4 * i + 3] ? pixels[4 * i] + pixels[4 * i + 1] * 256 + pixels[4 * i + 2] * 65536 : -1;

function nodeOfPixel(x, y) {
  const ratio = glCanvas.width / width;
  return nodeIn(nodeNumbers(Math.floor(x * ratio), Math.floor(y * ratio), 1, 1), 0);
}

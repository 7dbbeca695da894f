// In the viewer's scope: entities as points of light, straight out of wasm's memory. A chunk is an
// archetype: its LocalToWorld, 64 bytes each, and its Look, 12 bytes each, as Legion stores them.

const MATRIX = 64, COLUMN = 48, LOOK = 12;

const POINTS_VERTEX = `#version 300 es
layout(location = 0) in vec3 place;    // the fourth column of LocalToWorld
layout(location = 1) in float size;
layout(location = 2) in uint kind;
uniform mat4 view;
uniform float zoom;                    // pixels of one unit at distance one
uniform vec3 palette[5];
out vec3 tint;
out float strength, core;
void main() {
  gl_Position = view * vec4(place, 1.0);
  bool shines = kind < 2u;
  float pixels = 2.0 * size * zoom / gl_Position.w * (shines ? 4.0 : 1.4);
  gl_PointSize = clamp(pixels, 1.5, 160.0);
  // What is smaller than its point is fainter; small suns are no more than a colour.
  strength = clamp(pow(pixels / 2.4, 1.6), shines ? 0.3 : 0.11, 1.0);
  core = shines ? smoothstep(2.0, 10.0, pixels) : 0.0;
  tint = palette[kind];
}`;

const POINTS_FRAGMENT = `#version 300 es
precision highp float;
in vec3 tint;
in float strength, core;
uniform float glow;                    // 1: light adds up; 0: ink on paper
out vec4 result;
void main() {
  float r = length(2.0 * gl_PointCoord - 1.0);
  if (r > 1.0) discard;
  float disc = smoothstep(1.0, 0.55, r), halo = pow(1.0 - r, 2.5), heart = smoothstep(0.32, 0.12, r);
  float alpha = strength * mix(disc, max(mix(0.5, 0.9, glow) * halo, heart), core);
  vec3 color = mix(tint, mix(tint, vec3(1.0), 0.75 * glow), core * heart);
  result = vec4(color * alpha, alpha * mix(1.0, 0.35, glow));
}`;

let lights = null, total = 0;

/** Once more where the graphics card was taken away and came back. */
function startLights() {
  if (!gl) return;
  total = 0;
  lights = { ...compile(gl, POINTS_VERTEX, POINTS_FRAGMENT), array: gl.createVertexArray(), matrices: gl.createBuffer(), looks: gl.createBuffer() };
  gl.bindVertexArray(lights.array);
  for (const place of [0, 1, 2]) gl.enableVertexAttribArray(place);
  gl.bindBuffer(gl.ARRAY_BUFFER, lights.matrices);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, MATRIX, COLUMN);
  gl.bindBuffer(gl.ARRAY_BUFFER, lights.looks);
  gl.vertexAttribPointer(1, 1, gl.FLOAT, false, LOOK, 0);
  gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_INT, LOOK, 4);
  gl.bindVertexArray(null);
}

/** [address of matrices, address of looks, how many] by chunk that is not empty. */
function chunksNow() {
  const numbers = numbersOf(wasm.chunks()).slice();
  return Array.from({ length: numbers.length / 3 }, (_, i) => numbers.subarray(3 * i, 3 * i + 3)).filter(chunk => chunk[2]);
}

function uploadChunks() {
  const chunks = chunksNow(), bytes = new Uint8Array(wasm.memory.buffer);
  const count = chunks.reduce((sum, [, , length]) => sum + length, 0);
  for (const [buffer, stride, part] of [[lights.matrices, MATRIX, 0], [lights.looks, LOOK, 1]]) {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    if (count !== total) gl.bufferData(gl.ARRAY_BUFFER, count * stride, gl.DYNAMIC_DRAW);
    let row = 0;
    for (const chunk of chunks) {
      gl.bufferSubData(gl.ARRAY_BUFFER, row * stride, bytes, chunk[part], chunk[2] * stride);
      row += chunk[2];
    }
  }
  total = count;
}

/** Of each kind red, green and blue from 0 to 255, and whether light adds up. */
function palette() {
  const style = getComputedStyle(document.documentElement);
  return {
    glow: Number(style.getPropertyValue("--glow")),
    colors: [0, 1, 2, 3, 4].map(kind => style.getPropertyValue(`--kind-${kind}`).trim().split(" ").map(Number)),
  };
}

function drawLights() {
  const { glow, colors } = palette();
  gl.viewport(0, 0, glCanvas.width, glCanvas.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.disable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, glow ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA);
  uploadChunks();
  gl.useProgram(lights.program);
  gl.bindVertexArray(lights.array);
  gl.uniformMatrix4fv(lights.at.view, false, viewMatrix());
  gl.uniform1f(lights.at.zoom, eye.zoom * glCanvas.width / width);
  gl.uniform1f(lights.at.glow, glow);
  gl.uniform3fv(lights.at.palette, colors.flat().map(x => x / 255));
  gl.drawArrays(gl.POINTS, 0, total);
  gl.bindVertexArray(null);
}

/** Calls with the node, its kind, its size and where it is on the screen, for all that orbit. */
function eachLight(call) {
  for (const [matrices, looks, length] of chunksNow()) {
    const m = new Float32Array(wasm.memory.buffer, matrices, 16 * length), look = new Uint32Array(wasm.memory.buffer, looks, 3 * length);
    const sizes = new Float32Array(wasm.memory.buffer, looks, 3 * length);
    for (let row = 0; row < length; row++) {
      const [x, y, far] = project(m[16 * row + 12], m[16 * row + 13], m[16 * row + 14]);
      if (far > eye.near) call(look[3 * row + 2], look[3 * row + 1], sizes[3 * row], x, y, far);
    }
  }
}

/** Without WebGL 2: squares, the larger kinds over the smaller ones. */
function drawSquares() {
  const { colors } = palette(), squares = colors.map(() => []);
  eachLight((node, kind, size, x, y, far) => {
    if (x < 0 || y < 0 || x > width || y > height) return;
    squares[kind].push(x, y, Math.max(1, Math.min(40, 2 * size * eye.zoom / far)));
  });
  squares.forEach((_, i) => {
    const kind = squares.length - 1 - i, own = squares[kind];
    pen.fillStyle = `rgb(${colors[kind].join(" ")})`;
    for (let k = 0; k < own.length; k += 3) pen.fillRect(own[k] - own[k + 2] / 2, own[k + 1] - own[k + 2] / 2, own[k + 2], own[k + 2]);
  });
}

/** From the chosen entity to those above it, and to its children. */
function drawLinks(node) {
  const place = n => project(...worldOf(n).subarray(12, 15)), seen = new Set();
  const link = (a, b, strength) => { pen.strokeStyle = `rgb(${theme.lines} / ${strength})`; line(place(a), place(b)); };
  pen.lineWidth = 1.2;
  for (const child of children[node].slice(0, 100)) link(node, child, 0.4);
  for (let n = node; scene.parents[n] >= 0 && !seen.has(n); n = scene.parents[n]) { seen.add(n); link(n, scene.parents[n], 0.9); }
}

function drawOrbits() {
  updateEye();
  pen.clearRect(0, 0, width, height);
  if (gl) { drawLights(); showMeshes(); } else drawSquares();
  if (state.node < 0) return;
  drawLinks(state.node);
  const p = project(...position(state.node));
  pen.strokeStyle = theme.accent; pen.lineWidth = 2;
  pen.beginPath(); pen.arc(p[0], p[1], 9, 0, 7); pen.stroke();
  drawLabel(p, scene.names[state.node], theme.accent);
}

glCanvas.addEventListener("webglcontextrestored", () => { if (!isFile) startLights(); });

/** The node whose light is nearest to a place of the screen, within some pixels; -1 for none. */
function lightNear(x, y) {
  let [nearest, best] = [-1, 14 ** 2];
  eachLight((node, kind, size, px, py) => {
    const gap = (px - x) ** 2 + (py - y) ** 2, cost = gap + 25 * kind;
    // Of those in reach the larger kind is meant.
    if (gap < 14 ** 2 && cost < best) [nearest, best] = [node, cost];
  });
  return nearest;
}

// What the graphics card runs, and how it is made ready.

const VERTEX = `#version 300 es
precision highp float;
precision highp sampler2D;
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in vec4 color;
layout(location = 4) in uvec4 joints;
layout(location = 5) in vec4 weights;
uniform mat4 view;
uniform mat4x3 world;
uniform bool skinned;
uniform sampler2D skin;      // a joint a row: the three rows of its matrix
uniform int targets;
uniform float mixed[64];
uniform sampler2D morphs;    // target by target: positions, then normals
uniform int vertices;
out vec3 place, facing;
out vec2 spot;
out vec4 tint;

vec3 displacement(int index) {
  int width = textureSize(morphs, 0).x;
  return texelFetch(morphs, ivec2(index % width, index / width), 0).xyz;
}

mat4x3 joint(uint index) {
  int row = int(index);
  return transpose(mat3x4(texelFetch(skin, ivec2(0, row), 0), texelFetch(skin, ivec2(1, row), 0), texelFetch(skin, ivec2(2, row), 0)));
}

void main() {
  vec3 p = position, n = normal;
  for (int i = 0; i < targets; i++) {
    p += mixed[i] * displacement(2 * i * vertices + gl_VertexID);
    n += mixed[i] * displacement((2 * i + 1) * vertices + gl_VertexID);
  }
  mat4x3 m = world;
  if (skinned) m = joint(joints.x) * weights.x + joint(joints.y) * weights.y + joint(joints.z) * weights.z + joint(joints.w) * weights.w;
  place = m * vec4(p, 1.0);
  // The cofactors are the inverse transpose but for its length, and are there for singular matrices
  // too.
  facing = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])) * n;
  spot = uv;
  tint = color;
  gl_Position = view * vec4(place, 1.0);
  gl_PointSize = 4.0;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, facing;
in vec2 spot;
in vec4 tint;
uniform vec4 base;
uniform vec3 emissive, eye;
uniform bool textured, smoothed, lit;
uniform sampler2D image;
uniform mat3x2 laid;
uniform float cutoff, chosen, mirrored;
uniform vec4 number;         // of the node, where they are asked for instead of colours
out vec4 result;

void main() {
  vec4 color = base * tint;
  if (textured) color *= texture(image, laid * vec3(spot, 1.0));
  if (color.a < cutoff) discard;
  if (number.a > 0.0) { result = number; return; }
  vec3 light = vec3(1.0);
  if (lit) {
    vec3 toEye = normalize(eye - place);
    vec3 n = smoothed ? normalize(facing) * mirrored : normalize(cross(dFdx(place), dFdy(place)));
    if (smoothed ? !gl_FrontFacing : dot(n, toEye) < 0.0) n = -n;
    float sun = max(0.0, dot(n, normalize(vec3(0.45, 0.8, 0.55))));
    float lamp = max(0.0, dot(n, toEye));
    light = mix(vec3(0.10, 0.09, 0.09), vec3(0.24, 0.27, 0.31), 0.5 + 0.5 * n.y) + vec3(0.66, 0.63, 0.58) * sun + 0.1 * lamp;
  }
  vec3 shown = pow(min(color.rgb * light + emissive, 1.0), vec3(1.0 / 2.2));
  shown = mix(shown, vec3(0.95, 0.65, 0.25), 0.35 * chosen);
  result = vec4(shown * color.a, color.a);
}`;

const LINES_VERTEX = `#version 300 es
layout(location = 0) in vec4 point;
uniform mat4 view;
out float strength;
void main() { strength = point.w; gl_Position = view * vec4(point.xyz, 1.0); }`;

const LINES_FRAGMENT = `#version 300 es
precision highp float;
in float strength;
uniform vec3 ink;
out vec4 result;
void main() { result = vec4(ink, 1.0) * strength; }`;

/** A program and the places of its uniforms. */
function compile(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getAttachedShaders(program).map(shader => gl.getShaderInfoLog(shader)).join("\n"));
  }
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    uniforms[name.replace("[0]", "")] = gl.getUniformLocation(program, name);
  }
  return { program, at: uniforms };
}

/** Numbers that a shader looks up, four to a texel. */
function tableTexture(gl, numbers, columns, rows) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, columns, rows, 0, gl.RGBA, gl.FLOAT, numbers);
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
  return texture;
}

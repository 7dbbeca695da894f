// What is shown: clip, frame, chosen node.

const state = { clip: 0, frame: 0, clock: 0, playing: true, node: -1, matrices: null, weights: null };
let dirty = true;

const current = () => scene.clips[state.clip];

// Where a node is in the frame that is shown.
const at = (node, frame = state.frame) => (frame * count + node) * 12;
const position = (node, frame) => { const i = at(node, frame) + 9, m = state.matrices; return [m[i], m[i + 1], m[i + 2]]; };

function showPlaying() {
  $("play").textContent = state.playing ? "❚❚ pause" : "▶ play";
}

/** The point [x, y, z] of the space that the 12 numbers at `o` of `m` describe, in the world. */
const transform = (m, o, [x, y, z]) => [0, 1, 2].map(r => m[o + r] * x + m[o + 3 + r] * y + m[o + 6 + r] * z + m[o + 9 + r]);

/** The colours of the page's style, which follow the system's light or dark. */
const theme = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement), value = name => style.getPropertyValue(name).trim();
  for (const name of ["ink", "dim", "accent", "halo", "grid"]) theme[name] = value(`--${name}`);
  theme.bones = Number(value("--bones"));
  dirty = true;
}

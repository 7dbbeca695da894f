// What is shown: clip, frame, chosen node.

const state = { clip: 0, frame: 0, clock: 0, playing: true, node: -1, matrices: null, weights: null };
let dirty = true;

async function chooseClip(index) {
  const clip = scene.clips[index];
  clip.matrices ??= await unpack(clip);
  clip.mixes ??= clip.weights ? new Float32Array((await inflate(clip.weights)).buffer) : new Float32Array(0);
  state.clip = index;
  state.matrices = clip.matrices;
  state.weights = clip.mixes;
  $("clips").value = index;
  $("scrub").max = clip.frames - 1;
  // What stands still has nothing to play.
  $("transport").hidden = clip.frames < 2;
  seek(Math.min(state.frame, clip.frames - 1));
}

const current = () => scene.clips[state.clip];
const duration = () => (current().frames - 1) * current().interval;

function seek(frame) {
  state.frame = frame;
  state.clock = frame * current().interval;
  $("scrub").value = frame;
  $("time").textContent = `${state.clock.toFixed(2)} / ${duration().toFixed(2)} s`;
  dirty = true;
  if (state.node >= 0) showNumbers();
}

function step(frames) {
  setPlaying(false);
  seek((state.frame + frames + current().frames) % current().frames);
  writeHash();
}

function setPlaying(playing) {
  state.playing = playing && current().frames > 1;
  $("play").textContent = state.playing ? "❚❚ pause" : "▶ play";
  writeHash();
}

// Where a node is in the frame that is shown.
const at = (node, frame = state.frame) => (frame * count + node) * 12;
const position = (node, frame) => { const i = at(node, frame) + 9, m = state.matrices; return [m[i], m[i + 1], m[i + 2]]; };

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

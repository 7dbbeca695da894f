// What is shown: clip, frame, camera.

const state = { clip: 0, frame: 0, clock: 0, playing: true, node: -1, matrices: null };
const camera = { yaw: 0.7, pitch: 0.35, distance: 10, target: [0, 0, 0] };
let radius = 1, floor = 0, dirty = true;

async function chooseClip(index) {
  const clip = scene.clips[index];
  clip.matrices ??= await unpack(clip);
  state.clip = index;
  state.matrices = clip.matrices;
  $("clips").value = index;
  $("scrub").max = clip.frames - 1;
  $("play").disabled = clip.frames < 2;
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
  if (state.node >= 0) showNode();
}

function setPlaying(playing) {
  state.playing = playing && current().frames > 1;
  $("play").textContent = state.playing ? "❚❚ pause" : "▶ play";
  writeHash();
}

/** Sizes the view by every position of the clip, and by the boxes of some of its frames. */
function frameAll() {
  const reach = [0, 1, 2].map(i => [current().bounds[0][i], current().bounds[1][i]]), { frame } = state, last = current().frames - 1;
  for (let i = 0; i < 8; i++) {
    state.frame = Math.round(last * i / 8);
    scene.meshes.forEach((mesh, node) => { if (mesh) for (const corner of boxCorners(mesh, node)) corner.forEach((x, axis) => {
      reach[axis] = [Math.min(reach[axis][0], x), Math.max(reach[axis][1], x)]; }); });
  }
  state.frame = frame;
  camera.target = reach.map(([low, high]) => (low + high) / 2);
  radius = Math.hypot(...reach.map(([low, high]) => (high - low) / 2)) || 1;
  floor = reach[1][0];
  // Near enough that the middles of the edges just fit between the panels: corners are mostly empty.
  const edges = [0, 1, 2].flatMap(axis => [0, 1, 2, 3].map(i => reach.map(([low, high], j) =>
    j === axis ? (low + high) / 2 : i >> ((j - axis + 3) % 3 - 1) & 1 ? high : low)));
  const [left, bottom] = [$("about").offsetWidth + 24, height - $("bar").offsetHeight - 24];
  const fits = ([x, y, far]) => far > radius * 0.2 && x > left && x < width - 14 && y > 14 && y < bottom;
  for (camera.distance = radius * 0.8; camera.distance < radius * 6; camera.distance *= 1.03) {
    updateEye();
    if (edges.every(middle => fits(project(...middle)))) break;
  }
}

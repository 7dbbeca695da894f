// The clips that come in the page: which one, which of its frames, and whether it goes on.

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

const duration = () => (current().frames - 1) * current().interval;

function seek(frame) {
  state.frame = frame;
  state.clock = frame * current().interval;
  $("scrub").value = frame;
  $("time").textContent = `${state.clock.toFixed(2)} / ${duration().toFixed(2)} s`;
  dirty = true;
  showNote();
  if (state.node >= 0) showNumbers();
}

function step(frames) {
  setPlaying(false);
  seek((state.frame + frames + current().frames) % current().frames);
  writeHash();
}

function setPlaying(playing) {
  state.playing = playing && current().frames > 1;
  showPlaying();
  writeHash();
}

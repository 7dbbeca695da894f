// In the viewer's scope, in place of its `play.js`: a session that goes on, and a clip of a file at
// any time.

/** A file's nodes are drawn as the viewer draws them; entities that orbit, as lights. */
const isFile = scene.far === undefined;

const duration = () => current().duration ?? 0;

/** The clip at that time; the matrices follow with the next run. */
function seek(time) {
  state.clock = time;
  wasm.pose(state.clip, time);
  showTime();
}

function chooseClip(clip) {
  wasm.rest();
  state.clip = clip;
  rememberClip();
  seek(0);
}

/** The time of the page went on. */
function goOn(seconds) {
  if (isFile) seek(duration() > 0 ? (state.clock + seconds + duration()) % duration() : 0);
  else wasm.advance(seconds);
}

function step(frames) {
  setPlaying(false);
  goOn(frames / 30);
}

function setPlaying(playing) {
  state.playing = playing;
  showPlaying();
}

function showTime() {
  $("scrub").max = duration();
  $("scrub").value = state.clock;
  $("time").textContent = `${state.clock.toFixed(2)} / ${duration().toFixed(2)} s`;
}

/** The address of the playground says nothing of it. */
const writeHash = () => {};

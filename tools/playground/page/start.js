// The clock, and the beginning.

let before = null, toldAt = 0, isDrifting = true;

/** One tick: what moves is moved, the bundle runs, the picture shows what it wrote. */
function tick(seconds) {
  const start = performance.now();
  if (shown.playing) goOn(seconds);
  const moved = performance.now();
  wasm.run();
  keep(ticks, performance.now() - moved);
  keep(moves, moved - start);
}

function frame(now) {
  requestAnimationFrame(frame);
  const seconds = before === null ? 0 : Math.min(0.1, (now - before) / 1000);
  before = now;
  if (!picture) return;
  try { tick(seconds); } catch (error) { picture = null; say(`the module stopped: ${error.message}`, true); throw error; }
  if (shown.playing && isDrifting && !picture.isFile && !picture.isMoved()) picture.drift(seconds * 0.05);
  picture.refresh();
  picture.draw(chosen);
  keep(frames, now);
  if (now - toldAt > 250) { toldAt = now; showNumbers(); }
  showPlaying();
}

function setPlaying(playing) {
  shown.playing = playing;
  showPlaying();
}

// What the viewer's script calls: an image that cannot be decoded, and a click on a node or beside all.
const tell = text => say(text, true);
const choose = node => chooseNode(node < 0 ? NONE : node);

/** Of a narrow screen, where the panel lies over the picture. */
function openMenu(isOpen) {
  document.body.classList.toggle("open", isOpen);
  $("nodes").setAttribute("aria-expanded", isOpen);
}

function startBar() {
  $("play").onclick = () => setPlaying(!shown.playing);
  $("scrub").oninput = () => { setPlaying(false); seek(Number($("scrub").value) * durationOf()); };
  $("clips").onchange = () => chooseClip(Number($("clips").value));
  $("nodes").onclick = () => openMenu(!document.body.classList.contains("open"));
  addEventListener("keydown", event => {
    if (event.key === " " && !event.defaultPrevented && !event.target.closest("button, input, select, label")) { event.preventDefault(); setPlaying(!shown.playing); }
    if (event.key === "Escape") chooseNode(NONE);
  });
}

(async () => {
  try { await startWasm(); } catch (error) { say(`this browser does not run the module: ${error.message}`, true); return; }
  startBar();
  startDrag();
  startDrop();
  const resize = () => picture?.resize();
  addEventListener("resize", resize);
  new ResizeObserver(resize).observe($("bar"));
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => picture?.measure());
  await showOrbits(10000);
  requestAnimationFrame(frame);
})();

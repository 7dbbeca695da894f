// The clock, and the beginning.

let before = null, toldAt = 0, isDrifting = true;

/** One tick: what moves is moved, the bundle runs, the picture shows what it wrote. */
function tick(seconds) {
  const start = performance.now();
  if (picture.state.playing) picture.goOn(seconds);
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
  if (picture.state.playing && isDrifting && !picture.isFile) picture.drift(seconds * 0.05);
  picture.refresh();
  picture.draw();
  keep(frames, now);
  if (now - toldAt > 250) { toldAt = now; showMeasures(); }
}

(async () => {
  try { await startWasm(); } catch (error) { say(`this browser does not run the module: ${error.message}`, true); return; }
  startDrag();
  startScenes();
  const resize = () => {
    document.documentElement.style.setProperty("--numbers", `${$("numbers").offsetHeight}px`);
    picture?.resize();
  };
  addEventListener("resize", resize);
  const sizes = new ResizeObserver(resize);
  for (const id of ["bar", "numbers"]) sizes.observe($(id));
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => picture?.measure());
  await showOrbits(10000);
  requestAnimationFrame(frame);
})();

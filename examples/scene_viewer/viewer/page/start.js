// The clock, and the beginning.

let before = null;
function tick(now) {
  if (state.playing && before !== null) {
    const length = current().frames * current().interval;
    state.clock = (state.clock + Math.min(0.1, (now - before) / 1000) * Number($("speed").value)) % length;
    const frame = Math.min(current().frames - 1, Math.floor(state.clock / current().interval + 1e-6)), clock = state.clock;
    if (frame !== state.frame) { seek(frame); state.clock = clock; }
  }
  before = now;
  if (dirty) { dirty = false; draw(); }
  requestAnimationFrame(tick);
}

function describe() {
  const moving = scene.moves.reduce((a, b) => a + b, 0), drawn = order.reduce((sum, node) => sum + primitivesOf(node).length, 0);
  $("title").textContent = scene.title;
  $("stats").textContent = `${count} nodes, depth ${deepest}` + (moving ? `, ${moving} animated` : "") +
    (drawn && !gl ? "; without WebGL 2 boxes and bones stand for meshes" : "");
  scene.findings.slice(0, 50).forEach(tell);
  $("clips").append(...scene.clips.map((clip, i) => Object.assign(element("option", clip.name), { value: i })));
  $("clips").hidden = scene.clips.length < 2;
  $("trail").parentElement.hidden = scene.clips.every(clip => clip.frames < 2);
  $("meshes").parentElement.hidden = !drawn;
  $("meshes").checked = drawn > 0;
  $("bones").checked = !drawn || !gl;
  $("axes").checked = !drawn && count <= 40;
}

(async () => {
  readTheme();
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => { readTheme(); showList(); });
  if (!count) { $("title").textContent = scene.title; $("stats").textContent = "no nodes"; $("bar").hidden = $("filter").hidden = true; return; }
  await unpackGeometry();
  startMeshes();
  measureParts();
  describe();
  showList();
  state.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  await readHash();
  // The bar grows and shrinks with what it offers.
  new ResizeObserver(resize).observe($("bar"));
  addEventListener("resize", resize);
  resize();
  frameAll();
  requestAnimationFrame(tick);
})();

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
  const extent = Object.assign(document.createElement("span"), { id: "extent" });
  $("stats").append(`${counted(count, "node")}, depth ${deepest}` + (moving ? `, ${moving} animated` : ""), extent,
    drawn && !gl ? "; without WebGL 2 boxes and bones stand for meshes" : "");
  scene.findings.slice(0, 50).forEach(tell);
  $("clips").append(...scene.clips.map((clip, i) => Object.assign(element("option", clip.name), { value: i })));
  $("clips").hidden = scene.clips.length < 2;
  $("trail").parentElement.hidden = scene.clips.every(clip => clip.frames < 2);
  $("meshes").parentElement.hidden = !drawn;
  $("meshes").checked = drawn > 0;
  $("bones").checked = !drawn || !gl;
  $("axes").checked = !drawn && count <= 40;
  explainSigns();
}

/** The signs that this scene has, and what else is drawn of nodes. */
function explainSigns() {
  const row = (sign, text) => { const dt = document.createElement("dt"); dt.append(sign); $("signs").append(dt, element("dd", text)); };
  for (const [kind, [name, sign]] of Object.entries(KIND)) if (scene.kinds.includes(kind)) row(sign, name);
  if (deepest > 0) {
    row(Object.assign(document.createElement("i"), { className: "depths" }), `colours: roots to depth ${deepest}`);
    row("▸", "folded; ▾ unfolded");
    row("►", "bone: from parent (broad) to child");
  }
  row("°", "rotation: about the fixed axes z, then x, then y");
  if (scene.unnamed?.includes(1)) row(element("em", "n"), "slanted: without a name in the file");
  if (!isStill && carried.includes(0)) row("–", "thin bone: nothing moves it");
}

(async () => {
  readTheme();
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => { readTheme(); showList(state.node); });
  if (!count) { $("title").textContent = scene.title; $("stats").textContent = "no nodes"; $("bar").hidden = $("filter").hidden = $("legend").hidden = true; return; }
  await unpackGeometry();
  startMeshes();
  measureParts();
  describe();
  foldDeep();
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

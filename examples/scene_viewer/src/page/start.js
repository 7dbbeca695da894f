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
  const moving = scene.moves.reduce((a, b) => a + b, 0);
  $("title").textContent = scene.title;
  const extent = Object.assign(document.createElement("span"), { id: "extent" });
  $("stats").append(`${counted(count, "node")}, depth ${deepest}` + (moving ? `, ${moving} animated` : ""), extent, withoutMeshes());
  scene.findings.slice(0, 50).forEach(tell);
  offer();
  explainKeys();
  listNotes();
}

function tell(finding) {
  $("findings").hidden = false;
  $("findings").append(element("li", finding));
}

/** A page has its one scene in it, and nothing that reads files. */
function refuse({ files }) {
  const name = files[0]?.name ?? "it", what = `${name} is not opened: this page has one scene. Of glTF files scene_viewer makes such pages, and the playground opens them.`;
  if (![...$("findings").children].some(li => li.textContent === what)) tell(what);
}

(async () => {
  readTheme();
  onDrop(refuse);
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

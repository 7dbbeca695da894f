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

(async () => {
  $("title").textContent = scene.title;
  const moving = scene.moves.reduce((a, b) => a + b, 0);
  $("stats").textContent = `${count} nodes, depth ${deepest}, ${moving} animated`;
  $("findings").hidden = !scene.findings.length;
  $("findings").append(...scene.findings.slice(0, 50).map(text => element("li", text)));
  $("clips").append(...scene.clips.map((clip, i) => Object.assign(element("option", clip.name), { value: i })));
  $("boxes").checked = true;
  $("axes").checked = count <= 40;
  if (!count) { $("stats").textContent = "no nodes"; return; }
  addEventListener("resize", resize);
  resize();
  showList();
  await readHash();
  frameAll();
  requestAnimationFrame(tick);
})();

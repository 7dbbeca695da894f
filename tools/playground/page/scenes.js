// What there is to see: entities that orbit, or a file.

const shown = { title: "", clips: [], clip: 0, time: 0, playing: true };
let picture = null, shows = 0;

/**
 * A new picture, on canvases of its own: the last scene's graphics memory goes with its canvas.
 * False if another scene was chosen meanwhile.
 */
async function show(title, scene) {
  const number = ++shows;
  picture = null;
  openMenu(false);
  for (const id of ["meshes-view", "view"]) {
    $(id).getContext(id === "view" ? "2d" : "webgl2")?.getExtension?.("WEBGL_lose_context")?.loseContext();
    $(id).replaceWith($(id).cloneNode());
  }
  const whole = { names: [], parents: [], moves: [], kinds: "", ...scene, clips: [{ frames: 1, interval: 1 }] };
  $("data").textContent = JSON.stringify(whole);
  Object.assign(shown, { title, clips: scene.clips ?? [], clip: 0, time: 0, playing: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  [chosen, taken] = [NONE, NONE];
  opened.clear(); longer.clear();
  $("list").scrollTop = 0;
  const next = viewerOf();
  next.measure();
  next.refresh();
  await next.start();
  if (number !== shows) return false;
  picture = next;
  showScene();
  return true;
}

async function showOrbits(count) {
  wasm.orbits(count);
  if (!await show(`${count.toLocaleString("en")} orbits`, JSON.parse(textOf(wasm.scene())))) return;
  opened.add(0);
  showList();
  picture.resize();
}

async function showFile(title, bytes) {
  if (!openFile(title, bytes)) { say(reason(), true); return; }
  const scene = JSON.parse(textOf(wasm.scene()));
  if (!await show(title, scene)) return;
  if (scene.names.length <= 60) scene.names.forEach((_, node) => opened.add(node)); else childrenOf(NONE).forEach(node => opened.add(node));
  showList();
  rememberClip();
  picture.resize();
}

/** As much as the clip shows from its beginning to its end is framed. */
function rememberClip() {
  picture.remember([0, 1, 2, 3, 4, 5, 6].map(i => () => wasm.pose(shown.clip, durationOf() * i / 6)));
  seek(shown.time);
}

const durationOf = () => shown.clips[shown.clip]?.duration ?? 0;

/** The clip at that time; the matrices follow with the next run. */
function seek(time) {
  shown.time = time;
  wasm.pose(shown.clip, time);
}

function chooseClip(clip) {
  wasm.rest();
  [shown.clip, shown.time] = [clip, 0];
  rememberClip();
}

/** The time of the page went on. */
function goOn(seconds) {
  if (!picture.isFile) { wasm.advance(seconds); return; }
  const length = durationOf();
  seek(length > 0 ? (shown.time + seconds) % length : 0);
}

async function takeFiles(files) {
  const file = files[0];
  if (file) await showFile(file.name, new Uint8Array(await file.arrayBuffer()));
}

function startDrop() {
  const isFiles = event => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", event => { if (isFiles(event)) { event.preventDefault(); $("drop").hidden = false; } });
  addEventListener("dragleave", event => { if (!event.relatedTarget) $("drop").hidden = true; });
  addEventListener("drop", event => { event.preventDefault(); $("drop").hidden = true; takeFiles(event.dataTransfer.files); });
  $("file").onchange = () => { takeFiles($("file").files); };
  $("walker").onclick = async () => showFile("walker.gltf", await unpacked($("walker-file").textContent));
  for (const button of document.querySelectorAll("[data-count]")) button.onclick = () => showOrbits(Number(button.dataset.count));
}

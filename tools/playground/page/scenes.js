// What there is to see: entities that orbit, or a file.

let picture = null, shows = 0, title = "", again = () => {};

/**
 * A new picture, on elements of its own: the last scene's graphics memory and listeners go with
 * them. False if another scene was chosen meanwhile.
 */
async function show(name, scene) {
  const number = ++shows;
  picture = null;
  for (const id of ["meshes-view", "view"]) $(id).getContext(id === "view" ? "2d" : "webgl2")?.getExtension?.("WEBGL_lose_context")?.loseContext();
  for (const id of ["meshes-view", "view", "list", "info"]) $(id).replaceWith($(id).cloneNode());
  $("filter").value = "";
  const clips = scene.clips?.length ? scene.clips : [{ name: "rest" }];
  $("data").textContent = JSON.stringify({ ...scene, clips });
  [title, taken] = [name, NONE];
  const next = viewerOf();
  next.measure();
  await next.start();
  if (number !== shows) return;
  picture = next;
  showScene();
  picture.begin();
}

async function showOrbits(count) {
  again = () => showOrbits(count);
  wasm.orbits(count);
  await show(`${count.toLocaleString("en")} orbits`, JSON.parse(textOf(wasm.scene())));
}

/** A file is its name and its bytes. */
async function showFile(file, beside = []) {
  if (!openFile(file, beside)) { say(reason(), true); return; }
  again = () => showFile(file, beside);
  await show(file.name, JSON.parse(textOf(wasm.scene())));
}

/** Of dropped files and folders all files. */
async function filesOf({ items, files }) {
  const entries = [...items].map(item => item.webkitGetAsEntry?.()), found = [];
  if (!entries.some(entry => entry?.isDirectory)) return [...files];
  for (const entry of entries) if (entry) await filesBelow(entry, found);
  return found;
}

async function filesBelow(entry, found) {
  if (entry.isFile) { found.push(await new Promise((done, failed) => entry.file(done, failed))); return; }
  const reader = entry.createReader();
  // It gives a hundred at a time.
  for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length;) for (const each of some) await filesBelow(each, found);
}

/** A glTF file, and among the others its buffers and images, in any order. */
async function takeFiles(files) {
  if (!files.length) return;
  const scene = files.find(({ name }) => /\.(gltf|glb)$/i.test(name));
  if (!scene) { say(`${files[0].name} is no glTF file: drop a .glb, or a .gltf together with its .bin and images`, true); return; }
  const read = async file => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  await showFile(await read(scene), await Promise.all(files.filter(file => file !== scene).map(read)));
}

function startScenes() {
  onDrop(async data => takeFiles(await filesOf(data)));
  $("file").onchange = async () => { await takeFiles([...$("file").files]); $("file").value = ""; };
  $("walker").onclick = async () => showFile({ name: "walker.gltf", bytes: await inflate($("walker-file").textContent) });
  $("reset").onclick = () => again();
  for (const button of document.querySelectorAll("[data-count]")) button.onclick = () => showOrbits(Number(button.dataset.count));
}

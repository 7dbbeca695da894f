// The controls of the bar and of the panels.

function frame() {
  if (state.node >= 0) frameNode(state.node); else frameAll();
}

/** Closes what is open, the topmost first: the chosen node's panel lies before the list. */
function escape() {
  if (state.node >= 0) choose(-1); else showNodes(false);
}

/** On small screens the tree lies over the picture while it is open. */
function showNodes(open) {
  document.body.classList.toggle("open", open);
  $("nodes").setAttribute("aria-expanded", open);
  if (!open) return;
  mark(state.node);
  // A finger's keyboard would lie over the list.
  if (!matchMedia("(pointer: coarse)").matches) $("filter").focus();
}

$("nodes").onclick = () => showNodes(!document.body.classList.contains("open"));
$("frame").onclick = () => { choose(-1); frameAll(); };
$("play").onclick = () => setPlaying(!state.playing);
$("scrub").oninput = event => { setPlaying(false); seek(Number(event.target.value)); writeHash(); };
$("clips").onchange = async event => { state.frame = 0; await chooseClip(Number(event.target.value)); frameAll(); setPlaying(true); };
$("filter").oninput = () => showList();
for (const id of ["bones", "meshes", "axes", "names", "trail", "ground"]) $(id).onchange = () => { stayAboveGround(); dirty = true; };

// Keys and controls. A key means the same wherever the focus is, unless the element with the focus
// needs the key itself.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function needsKey(target, key) {
  if (target.matches("input[type=search], select")) return true;
  if (target.matches("input[type=range]")) return key in ARROWS || key === "Home" || key === "End";
  return key === " " && target.matches("button, input[type=checkbox], summary");
}

onkeydown = event => {
  if (event.ctrlKey || event.metaKey || event.altKey || needsKey(event.target, event.key)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const arrow = ARROWS[event.key], key = event.key.toLowerCase();
  if (arrow && event.shiftKey) pan(-24 * arrow[0], -24 * arrow[1]);
  else if (arrow) turn(0.08 * arrow[0], -0.08 * arrow[1]);
  else if (key === "+" || key === "=") zoom(0.9);
  else if (key === "-") zoom(1 / 0.9);
  else if (key === " ") setPlaying(!state.playing);
  else if (key === "," || key === ".") step(key === "," ? -1 : 1);
  else if (key === "f") frame();
  else if (key === "escape") escape();
  else return;
  event.preventDefault();
};

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
  if (open) $("filter").focus();
}

$("nodes").onclick = () => showNodes(!document.body.classList.contains("open"));
$("frame").onclick = () => { choose(-1); frameAll(); };
$("play").onclick = () => setPlaying(!state.playing);
$("scrub").oninput = event => { setPlaying(false); seek(Number(event.target.value)); writeHash(); };
$("clips").onchange = async event => { state.frame = 0; await chooseClip(Number(event.target.value)); frameAll(); setPlaying(true); };
$("filter").oninput = () => showList();
for (const id of ["bones", "meshes", "axes", "names", "trail", "ground"]) $(id).onchange = () => { dirty = true; };
onhashchange = readHash;

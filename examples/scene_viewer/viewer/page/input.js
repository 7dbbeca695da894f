// Mouse, touch, keys and controls.

function pick(x, y) {
  let best = -1, nearest = 13;
  points.forEach((p, node) => {
    const d = Math.hypot(p[0] - x, p[1] - y) + (p[2] / camera.distance) * 2;
    if (p[2] > eye.near && d < nearest) [best, nearest] = [node, d];
  });
  if (best >= 0) return best;
  const inside = polygon => polygon.reduce((odd, [ax, ay], i) => {
    const [bx, by] = polygon[(i + 1) % polygon.length];
    return (ay > y) !== (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax ? !odd : odd;
  }, false);
  return faces.findLast(face => inside(face.polygon))?.node ?? -1;
}

const touches = new Map();
let travelled = 0;
canvas.onpointerdown = event => {
  canvas.setPointerCapture(event.pointerId);
  touches.set(event.pointerId, [event.offsetX, event.offsetY]);
  if (touches.size === 1) travelled = 0;
  canvas.classList.add("turning");
};
canvas.onpointermove = event => {
  const last = touches.get(event.pointerId);
  if (!last) return;
  const [dx, dy] = [event.offsetX - last[0], event.offsetY - last[1]];
  travelled += Math.abs(dx) + Math.abs(dy);
  if (touches.size === 2) {
    const other = [...touches].find(([id]) => id !== event.pointerId)[1];
    const gap = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    zoom(gap(last, other) / gap([event.offsetX, event.offsetY], other));
  } else if (event.buttons & 2 || event.shiftKey) {
    const k = camera.distance / eye.zoom;
    camera.target = camera.target.map((x, i) => x - eye.right[i] * dx * k + eye.up[i] * dy * k);
  } else {
    camera.yaw -= dx * 0.008;
    camera.pitch = Math.max(-1.55, Math.min(1.55, camera.pitch + dy * 0.008));
  }
  touches.set(event.pointerId, [event.offsetX, event.offsetY]);
  dirty = true;
};
canvas.onpointerup = canvas.onpointercancel = event => {
  touches.delete(event.pointerId);
  canvas.classList.remove("turning");
  if (event.type === "pointerup" && travelled < 5 && event.button === 0) choose(pick(event.offsetX, event.offsetY));
};
canvas.oncontextmenu = event => event.preventDefault();
canvas.addEventListener("wheel", event => { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.0012)); }, { passive: false });

function zoom(factor) {
  camera.distance = Math.max(radius * 0.02, Math.min(radius * 30, camera.distance * factor));
  dirty = true;
}

onkeydown = event => {
  if (event.target.matches("input[type=search], select")) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === " ") setPlaying(!state.playing);
  else if (step) { setPlaying(false); seek((state.frame + step + current().frames) % current().frames); writeHash(); }
  else if (event.key === "f" && state.node >= 0) { camera.target = position(state.node); dirty = true; }
  else if (event.key === "f") { frameAll(); dirty = true; }
  else if (event.key === "Escape") choose(-1);
  else return;
  event.preventDefault();
};
$("play").onclick = event => { setPlaying(!state.playing); event.target.blur(); };
$("scrub").oninput = event => { setPlaying(false); seek(Number(event.target.value)); writeHash(); };
$("clips").onchange = async event => { state.frame = 0; await chooseClip(Number(event.target.value)); frameAll(); setPlaying(true); };
$("filter").oninput = showList;
for (const id of ["bones", "boxes", "axes", "names", "trail"]) $(id).onchange = () => { dirty = true; };
onhashchange = readHash;

// Numbers beside the picture.

const KEPT = 150;
const ticks = [], moves = [], frames = [];
let toldFindings = null;

function say(text, isBad = false) {
  $("said").textContent = text;
  $("said").hidden = !text;
  $("said").classList.toggle("bad", isBad);
}

/** Browsers give the time in steps of up to a millisecond: a mean of many is right, one is not. */
function keep(list, number) {
  list.push(number);
  if (list.length > KEPT) list.shift();
}

const mean = list => list.reduce((a, b) => a + b, 0) / Math.max(1, list.length);
const whole = number => Math.round(number).toLocaleString("en");

function showMeasures() {
  // What is read should stand still: it is the mean of the last second.
  $("us").textContent = whole(mean(ticks.slice(-60)) * 1000);
  $("moving").textContent = `${whole(mean(moves.slice(-60)) * 1000)} µs`;
  $("entities").textContent = whole(wasm.count());
  $("moved").textContent = whole(wasm.moved());
  const span = (frames.at(-1) - frames[0]) / 1000;
  $("frames").textContent = span > 0 ? `${whole((frames.length - 1) / span)} / s` : "";
  drawCurve();
  showFindings();
}

function drawCurve() {
  const canvas = $("curve"), pen = canvas.getContext("2d"), ratio = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  if (!canvas.width) return;
  const smooth = ticks.map((_, i) => mean(ticks.slice(Math.max(0, i - 7), i + 1))), most = Math.max(0.05, ...smooth) * 1.15;
  const at = i => [(i + KEPT - smooth.length) / (KEPT - 1) * canvas.width, canvas.height * (1 - smooth[i] / most)];
  const style = getComputedStyle(document.documentElement);
  pen.beginPath();
  smooth.forEach((_, i) => pen.lineTo(...at(i)));
  pen.strokeStyle = style.getPropertyValue("--accent"); pen.lineWidth = 1.5 * ratio; pen.stroke();
  pen.lineTo(canvas.width, canvas.height); pen.lineTo(at(0)[0], canvas.height); pen.closePath();
  pen.fillStyle = style.getPropertyValue("--chosen"); pen.fill();
}

function showFindings() {
  const text = textOf(wasm.findings());
  if (text === toldFindings) return;
  toldFindings = text;
  const lines = text ? text.split("\n") : [];
  $("clean").textContent = lines.length ? `${lines.length} finding${lines.length > 1 ? "s" : ""}` : "no findings";
  $("clean").classList.toggle("bad", lines.length > 0);
  $("findings").hidden = !lines.length;
  $("findings").replaceChildren(...lines.map(line => element("li", line)));
}

/** An image that cannot be decoded. */
const tell = text => say(text, true);

/** What a new scene is, before it is offered. */
function showScene() {
  for (const list of [ticks, moves, frames]) list.length = 0;
  say("");
  const { isFile, scene } = picture, count = scene.names.length;
  const flat = isFile ? picture.withoutMeshes() : picture.hasMeshes() ? "" : "; without WebGL 2 they are flat squares";
  const extent = Object.assign(document.createElement("span"), { id: "extent" });
  $("stats").replaceChildren(...isFile ? [`${title}: ${counted(count, "node")}`, extent, `${flat}. The bundle plays it in this page, as WebAssembly.`]
    : [`All of them move in every frame, four levels deep${flat}. The bundle runs in this page, as WebAssembly, on one thread.`]);
  for (const button of document.querySelectorAll("#scenes button")) button.classList.toggle("on", button.id === "walker" ? title === "walker.gltf" : !isFile && Number(button.dataset.count) === count);
  $("drawn").hidden = !isFile;
  $("transport").hidden = !(picture.duration() > 0);
}

// The chosen node's matrix as text.

/** As short as tells it from all other `f32`, and with a point, as Rust wants it. */
function floatText(x) {
  const digits = [6, 7, 8, 9].find(digits => Math.fround(Number(x.toPrecision(digits))) === x) ?? 9;
  const text = String(Number(x.toPrecision(digits)));
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Row by row, as `Matrix4::new` takes it. */
function matrixText() {
  const m = state.matrices, o = at(state.node), when = $("transport").hidden ? "" : ` at ${$("time").textContent.split(" /")[0]} s`;
  const rows = [0, 1, 2].map(r => [0, 3, 6, 9].map(column => m[o + column + r]));
  const lines = [...rows, [0, 0, 0, 1]].map(row => row.map(floatText).join(", "));
  return `// LocalToWorld of ${scene.names[state.node]}${when}\n${lines.join(",\n")}\n`;
}

/** Whether it is in the clipboard now. */
async function copyText(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* where that is forbidden, as it was done before */ }
  const area = Object.assign(document.createElement("textarea"), { value: text, readOnly: true }), before = document.activeElement;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  before?.focus();
  return isDone;
}

/** The button says for a moment what came of it. */
async function copyMatrix({ currentTarget: button }) {
  button.textContent = await copyText(matrixText()) ? "copied" : "not allowed";
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}

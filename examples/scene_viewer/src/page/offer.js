// What a scene offers for choice, and its signs.

const isDrawn = () => order.some(node => primitivesOf(node).length);

const withoutMeshes = () => isDrawn() && !gl ? "; without WebGL 2 boxes and bones stand for meshes" : "";

function offer() {
  const drawn = isDrawn();
  $("clips").replaceChildren(...scene.clips.map((clip, i) => Object.assign(element("option", clip.name), { value: i })));
  $("clips").hidden = scene.clips.length < 2;
  $("trail").parentElement.hidden = scene.clips.every(clip => clip.frames < 2);
  $("meshes").parentElement.hidden = !drawn;
  $("meshes").checked = drawn;
  $("bones").checked = !drawn || !gl;
  $("axes").checked = !drawn && count <= 40;
  explainSigns();
}

/** The signs that this scene has, and what else is drawn of nodes. */
function explainSigns() {
  $("signs").replaceChildren();
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

// What there is to look at: lines [second, text] of a film. A line holds until the next one.

const notes = scene.notes ?? [];
let toldNote = -1;

/** Each text once, however often it comes, with a button that goes to where it comes first. */
function listNotes() {
  $("look").hidden = !notes.length;
  const firsts = notes.filter(([, text], i) => notes.findIndex(other => other[1] === text) === i);
  $("notes").replaceChildren(...firsts.map(([second, text]) => {
    const li = document.createElement("li"), button = Object.assign(element("button", `${second} s`), { type: "button", className: "link" });
    button.onclick = () => { showNodes(false); seek(Math.round(second / current().interval)); writeHash(); };
    li.append(button, ` ${text}`);
    return li;
  }));
}

/** The line of the frame that is shown, over the picture. */
function showNote() {
  const now = notes.findLastIndex(([second]) => second <= state.clock + current().interval / 2);
  if (now === toldNote) return;
  toldNote = now;
  $("caption").hidden = now < 0;
  $("caption").textContent = notes[now]?.[1] ?? "";
}

// Files that are dragged onto the page.

/** Where files are over the page it says so; `take` gets the dropped ones. */
function onDrop(take) {
  const isFiles = event => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", event => { if (isFiles(event)) { event.preventDefault(); $("drop").hidden = false; } });
  addEventListener("dragleave", event => { if (!event.relatedTarget) $("drop").hidden = true; });
  addEventListener("drop", event => {
    if (!isFiles(event)) return;
    // Otherwise the browser leaves the page for the file.
    event.preventDefault();
    $("drop").hidden = true;
    take(event.dataTransfer);
  });
}

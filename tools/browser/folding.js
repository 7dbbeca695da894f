// Subtrees of the list fold and unfold, by keys and by the mouse, and big files begin folded.

const focused = page => page.evaluate(() => Number(document.activeElement.dataset.node ?? -1));
const expanded = (page, node) => page.evaluate(node => itemOf(node)?.getAttribute("aria-expanded") ?? null, node);

export async function folds({ page }, check) {
  const { parent, rows, few } = await page.evaluate(() => ({
    parent: order.find(node => children[node].length && rowOf[node] >= 0 && !folded.has(node)) ?? -1, rows: rows.length, few: count <= OPEN_ITEMS,
  }));
  check("few nodes begin unfolded, many folded", few ? rows === await page.evaluate(() => count) : rows < 1000, `${rows} rows`);
  check("no item without children can be unfolded", await page.evaluate(() => [...document.querySelectorAll("#list [data-node]")].every(li =>
    li.hasAttribute("aria-expanded") === children[li.dataset.node].length > 0)));
  check("a node without a name has a slanted one", await page.evaluate(() => [...document.querySelectorAll("#list [data-node]")].every(li =>
    li.textContent.trim().length > 1 && (li.querySelector("em") !== null) === (scene.unnamed?.[li.dataset.node] === 1))));
  if (parent >= 0) await byKeys(page, check, parent, rows);
  if (parent >= 0) await byMouse(page, check, parent);
}

async function byKeys(page, check, parent, all) {
  await page.evaluate(node => focusNode(node), parent);
  check("what is unfolded says so", await expanded(page, parent) === "true");
  await page.keyboard.press("ArrowLeft");
  const rowsNow = () => page.evaluate(() => rows.length);
  check("left folds, and the focus stays", await expanded(page, parent) === "false" && await focused(page) === parent && await rowsNow() < all);
  await page.keyboard.press("ArrowRight");
  check("right unfolds", await expanded(page, parent) === "true" && await focused(page) === parent && await rowsNow() === all);
  await page.keyboard.press("ArrowRight");
  const child = await page.evaluate(node => children[node][0], parent);
  check("and goes to the first child", await focused(page) === child);
  if (await expanded(page, child) === "true") await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  check("left goes to the parent", await focused(page) === parent);
  await page.keyboard.press("End");
  check("End goes to the last row", await focused(page) === await page.evaluate(() => rows.at(-1)));
  await page.keyboard.press("Home");
  check("Home to the first", await focused(page) === await page.evaluate(() => rows[0]));
  const isFar = await page.evaluate(() => { setFolded(rows[0], true); choose(order.findLast(node => scene.parents[node] >= 0)); return rowOf[state.node] >= 0 && itemOf(state.node) !== null; });
  check("a chosen node is unfolded", isFar);
  await page.evaluate(() => choose(-1));
}

async function byMouse(page, check, parent) {
  await page.evaluate(node => { focusNode(node); choose(-1); }, parent);
  const triangle = page.locator(`#list [data-node="${parent}"] .fold`);
  const before = await expanded(page, parent);
  await triangle.click();
  check("the triangle folds without choosing", await expanded(page, parent) !== before && await page.evaluate(() => state.node) === -1);
  await triangle.click();
  check("and unfolds", await expanded(page, parent) === before);
}

// The pictures that README opens with, as the viewer draws them: BROWSER=chromium node pictures.js FOLDER NAME=PAGE.html...
//
// The fox is the glTF sample of that name, which is not part of this repository.

import { join } from "node:path";
import { launch, open } from "./browser.js";

/** What is seen of each: clip, second, camera, how near, and what is drawn over it. */
const VIEWS = {
  walker: { clip: "round", second: 9.6, yaw: 0.55, pitch: 0.27, near: 0.9, over: [] },
  fox: { clip: "Run", second: 0.2, yaw: 0.75, pitch: 0.18, near: 0.92, over: ["bones"] },
};

const [folder, ...pages] = process.argv.slice(2), browser = await launch();
for (const argument of pages) {
  const [name, path] = argument.split("=");
  const { page, close } = await open(browser, path, { viewport: { width: 640, height: 420 }, deviceScaleFactor: 2, colorScheme: "dark" });
  await page.addStyleTag({ content: "body { background: #1b232b } .panel { visibility: hidden; } #bar { position: fixed !important; top: 100% !important; bottom: auto !important; }" });
  await page.evaluate(async ({ clip, second, yaw, pitch, near, over }) => {
    const index = scene.clips.findIndex(({ name }) => name === clip);
    await chooseClip(Math.max(0, index));
    setPlaying(false);
    Object.assign(camera, { yaw, pitch });
    seek(Math.round(second / current().interval));
    resize();
    frameAll();
    zoom(near);
    for (const id of over) $(id).checked = true;
    draw();
  }, VIEWS[name]);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(folder, `${name}.png`), scale: "css" });
  await close();
}
await browser.close();

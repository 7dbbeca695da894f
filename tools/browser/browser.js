// A headless Chromium, and a page that collects what goes wrong in it.

import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
  "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export const launch = () => chromium.launch({ executablePath: process.env.BROWSER, args: ARGUMENTS });

/** Before a page begins: a browser that has no WebGL 2. */
export const withoutWebGl = () => {
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind === "webgl2" ? null : original.call(this, kind, ...rest); };
};

/** A page; `options` are those of a browser context. `faults` fills with errors and with requests that leave the file. */
export async function watched(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 }, ...options });
  const page = await context.newPage(), faults = [];
  page.on("pageerror", error => faults.push(`error: ${error.message}`));
  page.on("console", message => { if (message.type() === "error") faults.push(`console: ${message.text()}`); });
  page.on("request", request => { if (!/^(file|data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`); });
  return { page, faults, close: () => context.close() };
}

/** Opens a page of the viewer. */
export async function open(browser, path, options, before = null) {
  const { page, faults, close } = await watched(browser, options);
  if (before) await page.addInitScript(before);
  await page.goto(`file://${path}`);
  // The first frame is drawn as soon as everything is unpacked.
  await page.waitForFunction(() => !count || (points.length === count && !dirty) || state.playing);
  await page.waitForTimeout(200);
  return { page, faults, close };
}

// The peer that is a library: clicks and fills as its users call them, timed here, so that
// no process start and no line between the two counts against it.
//
//     node playwright.mjs PEERS BROWSER URL
//
// Each line on stdin is [what, selector, count, text] as JSON; each is answered by one line.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [peers, executablePath, url] = process.argv.slice(2);
const { chromium } = createRequire(`${peers}/`)("playwright-core");
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
await page.goto(url);

const acts = {
  click: (selector) => page.click(selector),
  fill: (selector, text) => page.fill(selector, text),
};

/** Do one thing so often; milliseconds. */
async function time(what, selector, count, text) {
  const began = performance.now();
  for (let done = 0; done < count; done += 1) await acts[what](selector, text);
  return performance.now() - began;
}

const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
answer("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [what, selector, count, text] = JSON.parse(line);
  answer(what === "text" ? await page.textContent(selector) : await time(what, selector, count, text));
}
await browser.close();

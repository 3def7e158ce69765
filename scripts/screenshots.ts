/**
 * `npm run screenshots`: takes pictures for the README and for reviews before a release, from the state of a finished
 * loop: the page with an answered request, the dashboard, and one trajectory.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium, type Page } from "playwright-core";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { existingFolder } from "../trainer/src/options/option-values.ts";
import { CHROMIUM_FLAGS } from "../packages/dev/src/loop/chromium.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { buildPage, dashboardPage, sitePage, startPage } from "../packages/dev/src/pages/pages.ts";
import type { ManagedProcess } from "../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../packages/dev/src/processes/ports.ts";
import { startEdge } from "../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../packages/dev/src/stack/migrations.ts";
import { openInstallation } from "../packages/dev/src/stack/installation.ts";
import { ROOT } from "./root.ts";
import { demoSite } from "./demo.ts";

const program = createCommand("npm run screenshots --")
  .description("take screenshots of the page and the dashboard, with the state of a finished loop")
  .option(
    "--state <folder>",
    "state folder of a finished loop (default: .waggle/loop)",
    existingFolder,
  )
  .option("--out <folder>", "folder for the pictures", "docs/images")
  .option("--request <text>", "request of the simulated visitor", "add the cheapest hat to my cart")
  .parse();
const options = program.opts<{ state?: string; out: string; request: string }>();

const state = resolve(options.state ?? ".waggle/loop");
if (!existsSync(state)) {
  program.error(`error: no state in ${state}; run npm run loop first`);
}
const out = resolve(options.out);
mkdirSync(out, { recursive: true });
const executablePath = ensureChromium();
const site = await demoSite();
const [demoPage, dashboardAt] = [sitePage(site), dashboardPage(ROOT)];
const installation = openInstallation(state);
await Promise.all([migrate(installation, site), buildPage(demoPage), buildPage(dashboardAt)]);
const edgePort = await freePort();
const edgeUrl = `http://localhost:${edgePort}`;
const [demoPort, dashboardPort] = [await freePort(), await freePort()];
const processes: ManagedProcess[] = [];
try {
  processes.push(await startEdge(installation, { port: edgePort, site }));
  processes.push(await startPage(demoPage, { port: demoPort, edgeUrl }));
  processes.push(await startPage(dashboardAt, { port: dashboardPort, edgeUrl }));
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  const dashboard = `http://localhost:${dashboardPort}/#credential=${installation.operatorCredential}`;
  for (const colorScheme of ["light", "dark"] as const) {
    const suffix = colorScheme === "dark" ? "-dark" : "";
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 1280, height: 860 },
    });
    const demo = await context.newPage();
    await demo.goto(`http://localhost:${demoPort}/?autoconsent=1`);
    await answered(demo, options.request);
    await demo.screenshot({ path: join(out, `demo${suffix}.png`) });
    await demo.setViewportSize({ width: 400, height: 820 });
    await demo.waitForTimeout(1200); // wait until the sheet has opened
    await demo.screenshot({ path: join(out, `demo-narrow${suffix}.png`) });

    const overview = await context.newPage();
    await overview.goto(dashboard);
    await overview.waitForSelector("canvas");
    await overview.waitForTimeout(1500); // wait until the charts are drawn
    await overview.screenshot({ path: join(out, `dashboard${suffix}.png`), fullPage: true });
    await context.close();
  }
  await browser.close();
} finally {
  for (const child of processes.toReversed()) await child.stop();
}
console.log(`pictures are in ${join(options.out)} (${ROOT})`);

/** Sends a request to the agent as a visitor would and waits for the complete answer. */
async function answered(page: Page, request: string): Promise<void> {
  await page.waitForFunction(() => window.wagglePage?.status().phase === "ready");
  const input = page.locator("waggle-agent").locator("textarea, input[type=text]").first();
  await input.fill(request);
  await input.press("Enter");
  await page.waitForFunction(
    () =>
      window.wagglePage.agent.conversation.some(
        (item) => item.kind === "answer" && item.running === false,
      ),
    undefined,
    { timeout: 60_000 },
  );
  await page.waitForTimeout(400);
}

/**
 * The demo shop in Firefox ESR and in WebKitGTK, with the real edge and the real trainer: it opens, answers, practices
 * and takes the version that the trainer learned from this practice.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { PageStatus } from "@waggle/embed/practice";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { buildPage, startPage } from "../../packages/dev/src/pages/pages.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { startTrainer } from "../../packages/dev/src/stack/trainer-process.ts";
import { ROOT } from "../../scripts/root.ts";
import { NANO_MODEL, DEMO, DEMO_PAGE } from "../fixtures/demo.ts";
import { isLong } from "../fixtures/long.ts";
import {
  ensureOtherBrowsers,
  type OtherBrowser,
  startFirefox,
  startWebKit,
} from "../fixtures/other-browsers.ts";
import { shortLoop } from "./short-loop.fixture.ts";

const BOX = 'document.querySelector("waggle-agent").shadowRoot.querySelector("textarea")';
const MINUTE = 60_000;

describe.runIf(isLong())("browsers besides Chromium", () => {
  const folder = join(ROOT, ".waggle", "test-other-browsers");
  const processes: ManagedProcess[] = [];
  let url: string;

  beforeAll(async () => {
    ensureOtherBrowsers();
    rmSync(folder, { recursive: true, force: true });
    const installation = openInstallation(folder);
    await Promise.all([migrate(installation, DEMO), buildPage(DEMO_PAGE)]);
    const [port, edgePort] = [await freePort(), await freePort()];
    const edgeUrl = `http://localhost:${edgePort}`;
    const { trainerArgs, edgeVariables } = shortLoop(2, 2);
    processes.push(
      await startEdge(installation, { port: edgePort, site: DEMO, variables: edgeVariables ?? {} }),
    );
    processes.push(await startPage(DEMO_PAGE, { port, edgeUrl }));
    url = `http://localhost:${port}/?device=wasm`;
    const endless = [...(trainerArgs ?? []), "--max-publications", "100"];
    processes.push(
      startTrainer(installation, { edgeUrl, model: NANO_MODEL, site: DEMO, args: endless }),
    );
  }, 4 * MINUTE);

  afterAll(async () => {
    await Promise.all(processes.map((one) => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ["Firefox ESR", startFirefox],
    ["WebKitGTK", startWebKit],
  ])(
    "%s opens the shop, answers, practices and takes the learned version",
    async (_, start) => {
      const browser = await start();
      try {
        console.log(`  ${browser.version}`);
        await browser.open(url);
        await untilStatus(browser, ({ phase }) => phase === "ready");
        await browser.enter(BOX, "Add the cheapest waterproof jacket under 80 to my cart.");
        const answer = await vi.waitUntil(() => lastAnswer(browser), { timeout: MINUTE });
        expect(answer.text).not.toBe("");

        await browser.open(`${url}&simulate=forever&autoconsent=1`);
        const { policyVersion } = await untilStatus(browser, ({ phase }) => phase === "ready");
        const { trajectories, outbox, errors } = await untilStatus(
          browser,
          (now) => (now.policyVersion ?? 0) > (policyVersion ?? 0),
        );
        expect(trajectories.uploaded).toBeGreaterThan(0);
        expect({ errors, rejected: outbox.rejected, dropped: outbox.dropped }).toEqual({
          errors: [],
          rejected: 0,
          dropped: 0,
        });
      } finally {
        await browser.close();
      }
    },
    8 * MINUTE,
  );
});

/** The page's status, once it is as wanted. */
async function untilStatus(
  browser: OtherBrowser,
  isWanted: (status: PageStatus) => boolean,
): Promise<PageStatus> {
  return vi.waitUntil(
    async () => {
      const status = await browser.valueOf<PageStatus | null>("window.wagglePage?.status()");
      return status !== null && isWanted(status) ? status : null;
    },
    { timeout: 5 * MINUTE, interval: 500 },
  );
}

/** The answer, or `null` while it is written. */
async function lastAnswer(browser: OtherBrowser): Promise<{ readonly text: string } | null> {
  return browser.valueOf(
    `window.wagglePage.agent.conversation.filter(({ kind, running }) => kind === "answer" && !running).at(-1)`,
  );
}

/** First and second visits to a page with one of the two engines: processor time to the first token, and memory. */
import { setTimeout as sleep } from "node:timers/promises";
import { benchPrompt } from "./bench-models.ts";
import type { EnginePage, EnginePages } from "./engine-page.ts";
import type { WllamaSetting } from "./page/wllama-peer.ts";
import { timeBetween } from "./process-usage.ts";
import type { PairOptions } from "./wllama-pair.ts";

/** In milliseconds of processor time of the whole browser, and bytes above those of the page without a model. */
export type EngineVisit = {
  /** From the download to the first token. */
  readonly cold: number;
  /** From the page's storage to the first token. */
  readonly stored: number;
  readonly peak: number;
  /** Once loaded and after the first token. */
  readonly held: number;
};

const EVERY_MS = 20;
/** After this, memory that is given back in the background is gone. */
const SETTLE_MS = 1500;

/** Visits twice with a new profile. @param setting - of wllama; `null` for our runtime. */
export async function visitEngine(
  pages: EnginePages,
  { model, format, threads }: PairOptions,
  promptLength: number,
  setting: WllamaSetting | null,
): Promise<EngineVisit> {
  const page = await pages.open();
  const prompt = benchPrompt(model, promptLength);
  const folder = `/models/${model}/${format}`;
  const firstToken = async (): Promise<number> => {
    const before = page.usage.threadTimes();
    if (setting === null) {
      await page.call("openOurs", folder, threads);
      await page.call("generateOurs", prompt, 1);
    } else {
      await page.call("openPeer", folder, threads, setting);
      await page.call("generatePeer", prompt, 1);
    }
    const { all, busiest } = timeBetween(before, page.usage.threadTimes());
    return threads > 1 ? busiest : all;
  };
  try {
    const before = await settled(page);
    let peak = 0;
    const watch = setInterval(() => (peak = Math.max(peak, page.usage.heldBytes())), EVERY_MS);
    const cold = await firstToken().finally(() => clearInterval(watch));
    const held = await settled(page);
    await page.revisit();
    const stored = await firstToken();
    return { cold, stored, peak: Math.max(peak, held) - before, held: held - before };
  } finally {
    await page.close();
  }
}

/** The least memory of a while. */
async function settled({ usage }: EnginePage): Promise<number> {
  let least = Infinity;
  for (let waited = 0; waited < SETTLE_MS; waited += 10 * EVERY_MS) {
    await sleep(10 * EVERY_MS);
    least = Math.min(least, usage.heldBytes());
  }
  return least;
}

/**
 * Simulated visitors: pages of the demo shop in Chromium, each a browser context of its own (own
 * storage, own visitor), driven through `window.waggleDemo`.
 */
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath } from "../chromium.mjs";

/** What a page says of itself; counted in the page, kept over reloads in its storage. */
export type VisitorStatus = {
  /** Tasks begun, ended as a trajectory, failed without one. */
  readonly assigned: number;
  readonly completed: number;
  readonly failed: number;
  /** Trajectories that the edge took (accepted or duplicate), refused, not yet sent. */
  readonly accepted: number;
  readonly rejected: number;
  readonly waiting: number;
  readonly running: boolean;
  readonly policyVersion: number | null;
  /** ISO time at which a trajectory of each version began first in this page. */
  readonly firstRun: { readonly [version: string]: string };
  readonly backend: string | null;
  readonly device: string | null;
  /** Loads of this page after the first. */
  readonly reloads: number;
  readonly errors: readonly string[];
};

export type DemoWindow = {
  waggleDemo: { status(): Promise<VisitorStatus>; stop(): Promise<void>; refresh(): Promise<void> };
};

export class Visitors {
  readonly #browser: Browser;
  readonly pages: Page[];

  private constructor(browser: Browser, pages: Page[]) {
    this.#browser = browser;
    this.pages = pages;
  }

  static async open(
    url: string,
    options: { pages: number; device: "auto" | "webgpu" | "wasm"; simulate: number | "forever" },
  ): Promise<Visitors> {
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
    const visitors = new Visitors(browser, []);
    for (let index = 0; index < options.pages; index += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const query = new URLSearchParams({
        simulate: String(options.simulate),
        autoconsent: "1",
        device: options.device,
      });
      await page.goto(`${url}?${query}`);
      visitors.pages.push(page);
    }
    return visitors;
  }

  /** Status of every page; a page that does not answer is left out. */
  async statuses(): Promise<VisitorStatus[]> {
    const asked = this.pages.map((page) =>
      page.evaluate(() => (window as unknown as DemoWindow).waggleDemo.status()).catch(() => null),
    );
    return (await Promise.all(asked)).filter((status) => status !== null);
  }

  /** Ends the simulation after the tasks in progress. */
  async stop(): Promise<void> {
    await Promise.all(
      this.pages.map((page) =>
        page.evaluate(() => (window as unknown as DemoWindow).waggleDemo.stop()),
      ),
    );
  }

  /** Asks every page to look for a newer policy now. */
  async refresh(): Promise<void> {
    await Promise.all(
      this.pages.map((page) =>
        page.evaluate(() => (window as unknown as DemoWindow).waggleDemo.refresh()),
      ),
    );
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

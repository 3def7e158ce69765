/**
 * Simulated visitors: pages of the demo shop in Chromium, each a browser context of its own (own
 * storage, own visitor), driven through `window.waggleDemo`.
 */
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath } from "../chromium.mjs";

/** What `window.waggleDemo.status()` of the demo page says. */
export type VisitorStatus = {
  readonly phase: string;
  readonly trajectories: {
    readonly assigned: number;
    readonly completed: number;
    readonly failed: number;
  };
  /** `sent` = accepted by the edge; kept over reloads. */
  readonly outbox: {
    readonly waiting: number;
    readonly sent: number;
    readonly rejected: number;
    readonly dropped: number;
  };
  readonly simulating: boolean;
  readonly policyVersion: number | null;
  /** Every version that was current in this page, with the time it became so (ms since 1970). */
  readonly versions: readonly { readonly version: number; readonly at: number }[];
  readonly backend: string | null;
  readonly crossOriginIsolated: boolean;
  /** Loads of this page after the first. */
  readonly reloads: number;
  readonly errors: readonly string[];
};

type DemoWindow = {
  readonly waggleDemo: {
    status(): VisitorStatus;
    readonly agent: { checkPolicy(): Promise<void> };
  };
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
    const browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: CHROMIUM_FLAGS,
      // Playwright would end this process at once, and leave the others running.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
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

  /** Ends the simulation of every page, as a person would: by the switch. */
  async stop(): Promise<void> {
    await Promise.all(
      this.pages.map(async (page) => {
        const { simulating } = await page.evaluate(() =>
          (window as unknown as DemoWindow).waggleDemo.status(),
        );
        if (simulating) await page.locator("#simulate").click();
      }),
    );
  }

  /** Kills the renderer of a page in the middle of whatever it does, and opens the page again. */
  async crash(index: number): Promise<void> {
    const page = this.pages[index];
    if (page === undefined) throw new Error(`page ${index} must exist, got ${this.pages.length}`);
    const context = page.context();
    const url = page.url();
    const session = await context.newCDPSession(page);
    // The answer never comes: the process that would give it is gone.
    void session.send("Page.crash").catch(() => undefined);
    await page.waitForEvent("crash");
    const fresh = await context.newPage();
    await page.close();
    await fresh.goto(url);
    this.pages[index] = fresh;
  }

  /** Asks every page to look for a newer policy now. */
  async refresh(): Promise<void> {
    await Promise.all(
      this.pages.map((page) =>
        page.evaluate(() => (window as unknown as DemoWindow).waggleDemo.agent.checkPolicy()),
      ),
    );
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

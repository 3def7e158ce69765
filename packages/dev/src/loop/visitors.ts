/**
 * Simulated visitors: pages of a site in Chromium, driven through `window.wagglePage`. Each has its own
 * browser context, and so its own storage and visitor.
 */
import type { Browser, Page } from "playwright-core";
import { NO_PEOPLE, type VisitorStatus } from "../people/visitor-status.ts";
import { CHROMIUM_FLAGS, chromiumPath } from "./chromium.ts";

/** What the visitors of a run do. */
export type VisitorsOptions = {
  readonly pages: number;
  readonly device: "auto" | "webgpu" | "wasm";
  /** Tasks that each page practices, or forever. */
  readonly simulate: number | "forever";
};

/** The open pages of one run. */
export class Visitors {
  readonly #browser: Browser;
  readonly pages: Page[];

  private constructor(browser: Browser, pages: Page[]) {
    this.#browser = browser;
    this.pages = pages;
  }

  static async open(url: string, options: VisitorsOptions): Promise<Visitors> {
    const { device, simulate } = options;
    const search = new URLSearchParams({ simulate: String(simulate), autoconsent: "1", device });
    const { chromium } = await import("playwright-core");
    const browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: CHROMIUM_FLAGS,
      // Otherwise Playwright would exit this process at once and leave the others running.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const visitors = new Visitors(browser, []);
    for (let index = 0; index < options.pages; index += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${url}?${search}`);
      visitors.pages.push(page);
    }
    return visitors;
  }

  /** Status of every page; a page that does not respond is left out. */
  async statuses(): Promise<VisitorStatus[]> {
    const asked = this.pages.map((page) =>
      page.evaluate(() => window.wagglePage.status()).catch(() => null),
    );
    const statuses = (await Promise.all(asked)).filter((status) => status !== null);
    return statuses.map((status) => ({ ...status, people: NO_PEOPLE }));
  }

  /** Stops the practice of every page with its switch, as a person would. */
  async stop(): Promise<void> {
    await Promise.all(
      this.pages.map(async (page) => {
        const isPracticing = await page.evaluate(() => window.wagglePage.agent.simulation.running);
        if (isPracticing) await page.locator("#simulate").click();
      }),
    );
  }

  /** Kills the renderer of a page and opens the page again. */
  async crash(index: number): Promise<void> {
    const page = this.pages[index];
    if (page === undefined)
      throw new Error(`there is no page ${index}; ${this.pages.length} pages are open`);
    const context = page.context();
    const url = page.url();
    const session = await context.newCDPSession(page);
    // No response arrives, because its process is gone.
    void session.send("Page.crash").catch(() => undefined);
    await page.waitForEvent("crash");
    const fresh = await context.newPage();
    await page.close();
    await fresh.goto(url);
    this.pages[index] = fresh;
  }

  /** Makes every page check for a newer policy. */
  async refresh(): Promise<void> {
    await Promise.all(
      this.pages.map((page) => page.evaluate(() => window.wagglePage.agent.checkPolicy())),
    );
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

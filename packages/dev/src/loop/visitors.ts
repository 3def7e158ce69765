/**
 * Simulated visitors: pages of a site in Chromium, driven through `window.wagglePage`. Each has its own
 * browser context, and so its own storage and visitor.
 */
import type { Browser, Page } from "playwright-core";
import type { PageStatus, PeopleRequest, SimulatedPeople } from "@waggle/embed/practice";
import { CHROMIUM_FLAGS, chromiumPath } from "./chromium.ts";

/** What the visitors of a run do. */
export type VisitorsOptions = {
  readonly pages: number;
  readonly device: "auto" | "webgpu" | "wasm";
  /** Tasks that each page practices, or forever. */
  readonly simulate: number | "forever";
  /** In place of practice: people who type requests and say how the answers are until they are stopped. */
  readonly live?: LivePeople | undefined;
};

/** How the people of a live run answer; `PeopleRequest` explains it. Another seed gives every page other people. */
export type LivePeople = Pick<PeopleRequest, "signal" | "answering" | "wrong" | "seed">;

/** A run has at most this many pages. */
const MOST_PAGES = 64;

/** The parameters in the address of a page. Each page has other people. */
export function pageParameters(
  options: VisitorsOptions,
  index: number,
): { [name: string]: string } {
  const { device, simulate, live } = options;
  const common = { autoconsent: "1", device };
  if (live === undefined) return { simulate: String(simulate), ...common };
  const { signal } = live;
  const [answering, wrong] = [String(live.answering), String(live.wrong)];
  const seed = String(live.seed * MOST_PAGES + index);
  return { people: "forever", signal, answering, wrong, seed, ...common };
}

/** The open pages of one run. */
export class Visitors {
  readonly #browser: Browser;
  readonly pages: Page[];

  private constructor(browser: Browser, pages: Page[]) {
    this.#browser = browser;
    this.pages = pages;
  }

  static async open(url: string, options: VisitorsOptions): Promise<Visitors> {
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
      await page.goto(`${url}?${new URLSearchParams(pageParameters(options, index))}`);
      visitors.pages.push(page);
    }
    return visitors;
  }

  /** Status of every page; a page that does not respond is left out. */
  async statuses(): Promise<PageStatus[]> {
    const asked = this.pages.map((page) =>
      page.evaluate(() => window.wagglePage.status()).catch(() => null),
    );
    return (await Promise.all(asked)).filter((status) => status !== null);
  }

  /** What people have said about answers in all pages. */
  async reactions(): Promise<SimulatedPeople["reactions"]> {
    const given = this.pages.map((page) =>
      page.evaluate(() => window.wagglePage.people()?.reactions ?? []),
    );
    return (await Promise.all(given)).flat();
  }

  /** Stops people after their current request, and the practice of every page with its switch, as a person would. */
  async stop(): Promise<void> {
    await Promise.all(
      this.pages.map(async (page) => {
        const isPracticing = await page.evaluate(() => {
          const { people, agent } = window.wagglePage;
          people()?.stop();
          return agent.simulation.running;
        });
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

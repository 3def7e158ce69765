/**
 * A page in a browser of its own, used as a person does: text is typed into the panel, answers are read from it, and buttons are
 * pressed. Only the report looks behind it, at `window.wagglePage`.
 */
import type { PageStatus } from "@waggle/embed/practice";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { HandledPage } from "./visit.ts";

/** How long a person waits for the page to load its model, and for an answer. */
const PATIENCE_MS = 240_000;
/** How often a person looks whether the answer is there. */
const LOOK_MS = 50;

/** A page that a visitor has opened and agreed on. */
export class VisitorPage implements HandledPage {
  readonly #context: BrowserContext;
  readonly #page: Page;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.#page = page;
  }

  /** Opens the page as a new visitor, who agrees to be learned from. */
  static async open(browser: Browser, url: string): Promise<VisitorPage> {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const opened = new VisitorPage(context, page);
    try {
      await page.goto(url);
      await page.locator("waggle-agent .consent .button.primary").click();
      await page.waitForFunction(() => window.wagglePage.agent.status.phase !== "loading");
      const { phase, errors } = await opened.status();
      if (phase === "error") throw new Error(`the page does not work: ${errors.join("; ")}`);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  async startOver(): Promise<void> {
    // The button is hidden as long as nothing was said.
    const button = this.#page.locator("waggle-agent header .tool-button").first();
    if (await button.isVisible()) await button.click();
  }

  async ask(message: string): Promise<string | null> {
    const before = await this.#page.locator("waggle-agent article.answer").count();
    const field = this.#page.locator("waggle-agent textarea");
    await field.fill(message);
    await field.press("Enter");
    const answer = await this.#page.waitForFunction(
      (shown) => {
        const panel = document.querySelector("waggle-agent")?.shadowRoot;
        const last = [...(panel?.querySelectorAll("article.answer") ?? [])].at(-1);
        const count = panel?.querySelectorAll("article.answer").length ?? 0;
        if (last === undefined || count <= shown || last.getAttribute("aria-busy") === "true")
          return null;
        const isCut = last.querySelector<HTMLElement>(".note")?.hidden === false;
        const part = last.querySelector("div.answer")?.lastElementChild;
        return { text: part?.matches(".text") === true ? (part.textContent ?? "") : "", isCut };
      },
      before,
      { polling: LOOK_MS },
    );
    const shown = await answer.jsonValue();
    return shown === null || shown.isCut ? null : shown.text;
  }

  async press(thumb: "up" | "down"): Promise<void> {
    const last = this.#page.locator("waggle-agent article.answer").last();
    await last.locator(`[data-action="${thumb}"]`).click();
  }

  trajectoryId(): Promise<string | null> {
    return this.#page.evaluate(() => window.wagglePage.agent.trajectoryId);
  }

  status(): Promise<PageStatus> {
    return this.#page.evaluate(() => window.wagglePage.status());
  }

  /** Makes the page look for a newer policy. */
  async refresh(): Promise<void> {
    await this.#page.evaluate(() => window.wagglePage.agent.checkPolicy());
  }

  /** Waits until the page has sent everything. */
  async sent(timeoutMs = 60_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      const { waiting, feedbackWaiting } = await this.#page.evaluate(() =>
        window.wagglePage.agent.outbox(),
      );
      if (waiting + feedbackWaiting === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 4 * LOOK_MS));
    }
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

/**
 * A page on a device, used as a person does: text is typed into the panel, answers are read from it, and buttons are pressed. Only
 * the report looks behind it, at `window.wagglePage`.
 */
import type { PageStatus } from "@waggle/embed/practice";
import type { Browser, Page } from "playwright-core";
import type { HandledPage } from "./visit.ts";

/** How long a person waits for the page to load its model, and for an answer. */
const PATIENCE_MS = 240_000;
/** How often a person looks whether the answer is there. */
const LOOK_MS = 50;

/** A page that a visitor has opened and agreed on. */
export class VisitorPage implements HandledPage {
  readonly #page: Page;
  readonly #url: string;

  private constructor(page: Page, url: string) {
    this.#page = page;
    this.#url = url;
  }

  /** Opens the page on a new device, for a visitor who agrees to be learned from. */
  static async open(browser: Browser, url: string): Promise<VisitorPage> {
    // A small window without animations, because software draws it beside everything else.
    const context = await browser.newContext({
      viewport: { width: 640, height: 480 },
      reducedMotion: "reduce",
    });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      const opened = new VisitorPage(page, url);
      await opened.#arrive();
      return opened;
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  /**
   * Opens the page for another visitor of the same device. What it stored about the last one is deleted; the files of the model
   * stay, because loading them again takes longer than a visit.
   */
  async reopen(): Promise<void> {
    // Databases can be deleted once the page is left.
    await this.#page.goto(new URL("/config.json", this.#url).href);
    await this.#page.evaluate(async () => {
      localStorage.clear();
      sessionStorage.clear();
      for (const { name = "" } of await indexedDB.databases()) {
        await new Promise((resolve) => {
          const deletion = indexedDB.deleteDatabase(name);
          deletion.addEventListener("success", resolve);
          deletion.addEventListener("error", resolve);
          deletion.addEventListener("blocked", resolve);
        });
      }
    });
    await this.#arrive();
  }

  async #arrive(): Promise<void> {
    await this.#page.goto(this.#url);
    await this.#page.locator("waggle-agent .consent .button.primary").click();
    await this.#page.waitForFunction(() => window.wagglePage.agent.status.phase !== "loading");
    const { phase, errors } = await this.status();
    if (phase === "error") throw new Error(`the page does not work: ${errors.join("; ")}`);
  }

  async startOver(): Promise<void> {
    await this.#page.evaluate(async () => {
      const panel = document.querySelector("waggle-agent")?.shadowRoot;
      // The button is hidden as long as nothing was said.
      const button = panel?.querySelector<HTMLElement>("header .tool-button");
      if (button?.hidden === false) button.click();
      // The panel is drawn a little later.
      while (panel?.querySelector("article.answer")) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
  }

  async ask(message: string): Promise<string | null> {
    const before = await this.#page.locator("waggle-agent article.answer").count();
    const field = this.#page.locator("waggle-agent textarea");
    await field.fill(message);
    await field.press("Enter");
    const answer = await this.#page.waitForFunction(
      (shown) => {
        const panel = document.querySelector("waggle-agent")?.shadowRoot;
        const answers = [...(panel?.querySelectorAll("article.answer") ?? [])];
        const last = answers.at(-1);
        if (last === undefined || answers.length <= shown) return null;
        if (last.getAttribute("aria-busy") === "true") return null;
        const isCut = last.querySelector<HTMLElement>(".note")?.hidden === false;
        const part = last.querySelector("div.answer")?.lastElementChild;
        return { text: part?.matches(".text") === true ? (part.textContent ?? "") : "", isCut };
      },
      before,
      { polling: LOOK_MS },
    );
    const seen = await answer.jsonValue();
    return seen === null || seen.isCut ? null : seen.text;
  }

  async press(thumb: "up" | "down"): Promise<void> {
    await this.#page.evaluate((action) => {
      const panel = document.querySelector("waggle-agent")?.shadowRoot;
      const last = [...(panel?.querySelectorAll("article.answer") ?? [])].at(-1);
      const button = last?.querySelector<HTMLElement>(`[data-action="${action}"]`);
      if (!button) throw new Error("the answer has no thumbs");
      button.click();
    }, thumb);
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
}

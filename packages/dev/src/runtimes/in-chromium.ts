/**
 * Runs a module in a page of Chromium. Its language and time zone differ from those of this process, because visitors'
 * do as well.
 */
import { CHROMIUM_FLAGS, requireChromium } from "../loop/chromium.ts";

/** A secure origin, as pages of a site have. Requests to it are answered here. */
const ORIGIN = "http://localhost";

/** The language and time zone of the page. */
export function foreignPlace(): { readonly locale: string; readonly timezoneId: string } {
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    locale: locale.startsWith("de") ? "en-US" : "de-DE",
    timezoneId: timeZone === "Asia/Kolkata" ? "America/St_Johns" : "Asia/Kolkata",
  };
}

/** What the module's `replay` returns for a text. @throws WaggleError `NOT_FOUND` without Chromium. */
export async function inChromium(
  code: string,
  text: string,
  _: string,
  signal: AbortSignal,
): Promise<string> {
  const executablePath = requireChromium("this check");
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  const close = (): void => void browser.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    const context = await browser.newContext(foreignPlace());
    await context.route("**/*", (route) =>
      new URL(route.request().url()).pathname === "/replay.js"
        ? route.fulfill({ contentType: "text/javascript", body: code })
        : route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
    );
    const page = await context.newPage();
    await page.goto(`${ORIGIN}/`);
    // As text, because a test runner may rewrite imports in functions.
    const recorded = JSON.stringify(text);
    return await page.evaluate<string>(
      `import(${JSON.stringify(`${ORIGIN}/replay.js`)}).then(({ replay }) => replay(${recorded}))`,
    );
  } finally {
    signal.removeEventListener("abort", close);
    await browser.close();
  }
}

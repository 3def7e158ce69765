/**
 * `npm run conversations`: has conversations with the assistant of a running page, as a visitor would, and takes a picture of
 * each on a laptop and on a phone. The answers are sampled, so each run gives others.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { chromium, type Page } from "playwright-core";
import { z } from "zod";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { httpUrl } from "../trainer/src/options/option-values.ts";
import { CHROMIUM_FLAGS } from "../packages/dev/src/loop/chromium.ts";
import { ensureChromium } from "./ensure-chromium.ts";

const program = createCommand("npm run conversations --")
  .description(
    "take pictures of conversations with the assistant of a running page; run npm start first",
  )
  .option("--page <url>", "address of the page", httpUrl, "http://localhost:5173/")
  .option(
    "--file <file>",
    "list of conversations as JSON, each with a name and messages",
    "apps/demo/conversations.json",
  )
  .option("--out <folder>", "folder for the pictures", "docs/images/conversations")
  .parse();
const options = program.opts<{ page: string; file: string; out: string }>();

const Conversations = z.array(
  z.strictObject({ name: z.string().regex(/^[a-z-]+$/), messages: z.array(z.string()).min(1) }),
);
const conversations = Conversations.parse(JSON.parse(readFileSync(options.file, "utf8")));
const out = resolve(options.out);
mkdirSync(out, { recursive: true });

const LAPTOP = { width: 1280, height: 720 };
const PHONE = { width: 390, height: 844 };

const browser = await chromium.launch({ executablePath: ensureChromium(), args: CHROMIUM_FLAGS });
try {
  for (const { name, messages } of conversations) {
    // A new context each, so that cart, consent and conversation are new.
    const context = await browser.newContext({ viewport: LAPTOP });
    const page = await context.newPage();
    await page.goto(options.page);
    await page.waitForFunction(() => window.wagglePage?.status().phase === "ready");
    for (const message of messages) {
      console.log(`${name}: ${message}\n  ${await answerTo(page, message)}`);
    }
    const picture = (device: string) =>
      page.screenshot({ path: join(out, `${name}-${device}.png`) });
    await picture("laptop");
    await page.setViewportSize(PHONE);
    await page.getByRole("button", { name: "Ask the assistant" }).click();
    await page.waitForTimeout(1200); // until the sheet has opened
    await picture("phone");
    await context.close();
  }
} finally {
  await browser.close();
}
console.log(`pictures are in ${relative(process.cwd(), out)}`);

/** Types a message and waits for the answer. @returns its text */
async function answerTo(page: Page, message: string): Promise<string> {
  const input = page.locator("waggle-agent").locator("textarea, input[type=text]").first();
  await input.fill(message);
  await input.press("Enter");
  for (;;) {
    const state = await page.waitForFunction(stateAfter, message, { timeout: 60_000 });
    const { answer } = (await state.jsonValue()) ?? { answer: null };
    if (answer !== null) {
      await page.waitForTimeout(600); // until the panel has scrolled
      return answer;
    }
    console.log("  (asks before a call; allowed)");
    await page.locator("waggle-agent").getByRole("button", { name: "Allow", exact: true }).click();
  }
}

/** Runs in the page. @returns the answer to a message, or `answer: null` if the assistant asks; `null` meanwhile */
function stateAfter(asked: string): { readonly answer: string | null } | null {
  const { conversation, confirmation } = window.wagglePage.agent;
  if (confirmation !== null) return { answer: null };
  const at = conversation.findLastIndex((item) => item.kind === "request" && item.text === asked);
  const item = conversation[at + 1];
  if (at < 0 || item?.kind !== "answer" || item.running) return null;
  const said = item.parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return { answer: said.join(" ") || "(none)" };
}

/**
 * The example pages of React and of the AI SDK's `useChat`, built by Vite from the packed packages in projects outside the
 * repository, in Chromium with the nano model. `npm test` builds the second one with linked packages; it uses the hooks
 * too.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { ROOT } from "../../scripts/root.ts";
import { filesIn } from "../fixtures/files-in.ts";
import {
  EXAMPLES,
  installedExample,
  removeInstalledExamples,
} from "../fixtures/installed-example.ts";
import { linkProject } from "../fixtures/linked-project.ts";
import { isLong } from "../fixtures/long.ts";
import { askInPanel, openExample, settledState } from "../fixtures/open-example.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";

/** The nano model samples. One of so many answers calls the tools in the right order. */
const MOST_ANSWERS = 12;
const REQUEST = "Add the City Jacket to my cart.";

afterAll(removeInstalledExamples);

/** An example built by Vite alone, without an installation and without a check of its types. */
function linkedExample(name: string): ReadonlyMap<string, Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), `waggle-${name}-`));
  try {
    linkProject(folder, packedPackages());
    cpSync(join(EXAMPLES, name), folder, { recursive: true });
    const vite = join(ROOT, "node_modules/vite/bin/vite.js");
    const env = { ...process.env, NODE_ENV: "production" };
    execFileSync(process.execPath, [vite, "build", "--logLevel", "error"], { cwd: folder, env });
    return filesIn(join(folder, "dist"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.runIf(isLong())(
  "in a page of React that Vite builds, the assistant answers and changes the page's state",
  async () => {
    const { page, errors, close } = await openExample(installedExample("react"));
    try {
      expect(await settledState(page)).toMatch(/^ready/);
      const cart = page.getByRole("list", { name: "Cart" });
      for (let i = 0; i < MOST_ANSWERS && (await cart.innerText()) === ""; i++) {
        await askInPanel(page, REQUEST);
      }
      expect(await cart.innerText()).toMatch(/^\d+ × City Jacket$/);
      expect(errors).toEqual([]);
    } finally {
      await close();
    }
  },
);

describe("a page with useChat of the AI SDK", () => {
  test("shows a streamed answer with its tool calls, and repeats it", async () => {
    const build = isLong() ? installedExample : linkedExample;
    const { page, errors, close } = await openExample(build("use-chat"));
    try {
      const shown = await collectTexts(page);
      const answers = page.getByRole("article", { name: "Assistant" });
      const isAnswered = page.getByRole("button", { name: "Send" });
      const ran = answers.last().locator("summary", { hasText: /^Looking for .+ ✓$/ });
      for (let i = 0; i < MOST_ANSWERS && (await ran.count()) === 0; i++) {
        await page.getByRole("textbox", { name: "Message" }).fill(REQUEST);
        await page.getByRole("textbox", { name: "Message" }).press("Enter");
        await answers.nth(i).waitFor();
        await isAnswered.waitFor();
      }
      expect(await ran.count()).toBeGreaterThan(0);
      const text = await answers.last().locator("p").last().innerText();
      const growing = (await shown()).filter((one) => one !== text && text.startsWith(one));
      expect(new Set(growing).size).toBeGreaterThan(1);

      const count = await answers.count();
      await page.getByRole("button", { name: "Try again" }).click();
      await isAnswered.waitFor();
      expect(await answers.count()).toBe(count);
      expect(await page.getByRole("alert").count()).toBe(0);
      expect(errors).toEqual([]);
    } finally {
      await close();
    }
  });
});

/** Collects the last paragraph of the newest message after each change. @returns a function that returns them */
async function collectTexts(page: Page): Promise<() => Promise<readonly string[]>> {
  const texts = await page.evaluateHandle(() => {
    const collected: string[] = [];
    new MutationObserver(() => {
      const paragraphs = document.querySelectorAll("article.assistant:last-of-type > p");
      collected.push(paragraphs[paragraphs.length - 1]?.textContent ?? "");
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    return collected;
  });
  return () => texts.jsonValue();
}

/**
 * The demo's model picker: switches from the shop's own model to a folder at a URL and back, and checks what the page
 * shows. There is no edge, since the shop's own model is not tested here.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { buildPage, startPage } from "../../packages/dev/src/pages/pages.ts";
import { DEMO_PAGE } from "../fixtures/demo.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { llamaFolder } from "../fixtures/llama-folder.ts";

const files = new Map(llamaFolder().map(({ path, bytes }) => [`/tiny/${path}`, bytes]));
let models: Server;
let address: string;
let site: ManagedProcess;
let siteUrl: string;
let browser: Browser;

beforeAll(async () => {
  models = createServer((request, response) => {
    const bytes = files.get(request.url ?? "");
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("cross-origin-resource-policy", "cross-origin");
    response.statusCode = bytes === undefined ? 404 : 200;
    response.end(bytes);
  });
  await new Promise<void>((resolve) => models.listen(0, "127.0.0.1", resolve));
  address = `http://localhost:${(models.address() as AddressInfo).port}/tiny/`;
  await buildPage(DEMO_PAGE);
  const port = await freePort();
  site = await startPage(DEMO_PAGE, { port, edgeUrl: `http://localhost:${await freePort()}` });
  siteUrl = `http://localhost:${port}/`;
  browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await site?.stop();
  models?.close();
});

async function use(page: Page, name: string): Promise<void> {
  await page.getByLabel("From Hugging Face").check();
  await page.getByLabel("Name or address").fill(name);
  await page.getByRole("button", { name: "Use it" }).click();
}

test("a model from a URL answers in the panel without the site's edge or a consent question", async () => {
  const page = await browser.newPage();
  await page.goto(siteUrl);
  // The browser's own model is offered only if there is one.
  await expect
    .poll(() => page.locator("#models-browser").textContent())
    .toBe("not in this browser");
  expect(await page.getByLabel("Your browser's").isDisabled()).toBe(true);

  await use(page, "not a model");
  expect(await page.locator("#models-note").textContent()).toContain("is not organization/name");
  // The shop's own model is still loading, and choosing another does not wait for it.
  await use(page, `${address}missing/`);
  await expect
    .poll(() => page.locator("#models-note").textContent(), { timeout: 30_000 })
    .toMatch(/no files of a model|cannot/);

  await use(page, address);
  await expect
    .poll(() => page.locator("#models-note").textContent(), { timeout: 30_000 })
    .toContain("runs on wasm");
  const panel = page.locator("waggle-agent");
  expect(await panel.getByRole("button", { name: "Agree" }).isVisible()).toBe(false);
  await panel.getByRole("textbox", { name: "Request" }).fill("hello");
  await panel.getByRole("textbox", { name: "Request" }).press("Enter");
  const answer = await page.waitForFunction(() => {
    const last = window.wagglePage.agent.conversation.at(-1);
    return last?.kind === "answer" && !last.running ? last : null;
  });
  expect(await answer.jsonValue()).toMatchObject({ failure: null, trajectoryId: null });
  expect(await page.evaluate(() => window.wagglePage.agent.sent())).toEqual([]);
  expect(await page.locator("#simulate").isDisabled()).toBe(true);

  await page.getByLabel("The shop's own").check();
  await page.getByRole("button", { name: "Use it" }).click();
  await expect
    .poll(() => page.evaluate(() => window.wagglePage.agent.model.kind), { timeout: 10_000 })
    .toBe("site");
});

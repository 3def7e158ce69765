/**
 * The embed for a new user: published packages in an empty Vite project, exactly the lines of the README, and a built
 * page in Chromium.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDependencies } from "../fixtures/package-dependencies.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";
import { type EmbeddedPage, openReadmePage, readmeLines } from "../fixtures/readme-embed.ts";

let folder: string;
let embedded: EmbeddedPage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waggle-embed-"));
  const needed = withDependencies("@waggle/embed");
  const tarballs = packedPackages()
    .filter(({ manifest }) => needed.has(manifest.name))
    .map(({ tarball }) => tarball);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", ["install", ...quiet, ...tarballs], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  embedded = await openReadmePage(folder);
});

afterAll(async () => {
  await embedded?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the README embeds the assistant in at most 15 lines", () => {
  expect(readmeLines().trimEnd().split("\n").length).toBeLessThanOrEqual(15);
});

test("the packed element loads the model and becomes ready", async () => {
  const { page, errors } = embedded;
  const panel = page.locator("waggle-agent");
  const state = panel.locator(".state:is([data-state=ready], [data-state=error])");
  await state.waitFor({ timeout: 60_000 });
  expect(await panel.getByRole("alert").allTextContents()).toEqual([]);
  // The edge has only the base model.
  expect(await state.textContent()).toBe("ready, not trained yet");
  await panel.evaluate((element) => element.setAttribute("developer", ""));
  await expect.poll(() => panel.locator("footer").textContent()).toMatch(/policy 0 · wasm x1/);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  expect(errors).toEqual([]);
});

test("the policy in the packed worker answers a request, and nothing is sent", async () => {
  const { page } = embedded;
  const panel = page.locator("waggle-agent");
  await panel.getByRole("textbox").fill("Add the City Jacket to my cart.");
  await panel.getByRole("textbox").press("Enter");
  await panel.getByRole("button", { name: "Good answer" }).waitFor({ timeout: 60_000 });
  const said = await panel.locator("article").innerText();
  expect(said.length).toBeGreaterThan("Assistant: ".length);
  const sent = await page.evaluate(() => {
    const element = document.querySelector("waggle-agent") as unknown as {
      agent: { outbox(): Promise<{ waiting: number; sent: number }> };
    };
    return element.agent.outbox();
  });
  expect(sent).toMatchObject({ waiting: 0, sent: 0 });
});

test("a page without edge tools requests only a session, its policy and files from the edge", () => {
  const others = [...embedded.asked].filter((path) => !path.startsWith("/v1/objects/"));
  expect(others.sort()).toEqual(["/v1/policy", "/v1/sessions"]);
});

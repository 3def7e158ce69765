/** What the practice page imports. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pagePlugin } from "./page-plugin.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waggle-page-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
});

/** A module of the plugin, and the files whose change loads it again. */
async function moduleOf(
  name: "practice" | "visitor",
): Promise<{ code: string; watched: string[] }> {
  const watched: string[] = [];
  const { load } = pagePlugin([]);
  const context = {
    addWatchFile: (file: string) => watched.push(file),
    error: (message: string) => {
      throw new Error(message);
    },
  };
  const code = await (load as unknown as (id: string) => Promise<string>).call(
    context as never,
    `\0virtual:waggle/${name}`,
  );
  return { code, watched };
}

test("the pages ask for the consent of their site, and only the practice page has its environment", async () => {
  const config = join(folder, "waggle.config.js");
  const consent = { version: "bags-1", title: "May the desk keep this?", text: "For 30 days." };
  writeFileSync(
    config,
    `export default { id: "bags", name: "Bags", prompt: "You help.", consent: ${JSON.stringify(consent)} };`,
  );
  vi.stubEnv("WAGGLE_PRACTICE", "/practice/environment.ts#default");
  vi.stubEnv("WAGGLE_PRACTICE_SITE", folder);
  const { code: practice } = await moduleOf("practice");
  expect(practice).toBe('export { default as environment } from "/practice/environment.ts";');
  const { code, watched } = await moduleOf("visitor");
  expect(code).not.toContain("environment.ts");
  expect(code).toContain('consent: {"version":"bags-1"}');
  expect(code).toContain('"consentTitle":"May the desk keep this?","consentBody":"For 30 days."');
  expect(watched).toEqual([config]);
});

test("without a config, pages ask with the panel's own text", async () => {
  vi.stubEnv("WAGGLE_PRACTICE", "/environment.ts#desk");
  const { code: practice } = await moduleOf("practice");
  expect(practice).toBe('export { desk as environment } from "/environment.ts";');
  const { code, watched } = await moduleOf("visitor");
  expect(code).not.toContain("consent:");
  expect(watched).toEqual([]);
});

/** What `/config.json` of a built page has. */
function builtConfig(): unknown {
  const emitted: { readonly source: string }[] = [];
  const { generateBundle } = pagePlugin([]);
  const context = { emitFile: (file: { readonly source: string }) => emitted.push(file) };
  (generateBundle as unknown as () => void).call(context as never);
  return JSON.parse(emitted[0]?.source ?? "null");
}

test("a page's config names the keys of the publisher, if the installation has some", () => {
  vi.stubEnv("WAGGLE_PUBLISHER_KEYS", "one,two");
  expect(builtConfig()).toMatchObject({ publisher: { keys: ["one", "two"] } });
  vi.stubEnv("WAGGLE_PUBLISHER_KEYS", "");
  expect(builtConfig()).not.toHaveProperty("publisher");
});

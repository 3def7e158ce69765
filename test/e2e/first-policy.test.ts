/**
 * From `npm create waggle` to the first promoted policy, with the packages as published and the commands of the
 * template's README. It takes about fourteen minutes, so `npm test` runs shorter ones: `own-project.test.ts` for the
 * project and `site-loop.test.ts` for the loop.
 */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../fixtures/long.ts";
import { type RegistryFolder, registryFolder } from "../fixtures/registry-folder.ts";

/** Machine time that a new user may need, with the installation. */
const LIMIT_MS = 900_000;

let registry: RegistryFolder | undefined;
beforeAll(async () => {
  if (isLong()) registry = await registryFolder();
}, 120_000);
afterAll(() => registry?.remove());

test.runIf(isLong())(
  "a new project's policy is promoted after four commands",
  () => {
    const { path, npm } = registry as RegistryFolder;
    const from = Date.now();
    npm(path, "create", "waggle", "rooms", "--", "--template", "vite");
    const project = join(path, "rooms");
    npm(project, "test");
    npm(project, "run", "check");
    const lines = npm(project, "run", "loop", "--", "--minutes", "7", "--json").split("\n");
    const report = JSON.parse(lines.find((line) => line.startsWith("{")) ?? "") as {
      readonly promoted: number;
      readonly success: { readonly base: number; readonly final: number };
      readonly uploads: { readonly lost: number; readonly twice: number };
    };
    console.info(`${Math.round((Date.now() - from) / 1000)} s: ${JSON.stringify(report)}`);
    expect(report.promoted).toBeGreaterThanOrEqual(1);
    expect(report.success.final).toBeGreaterThan(report.success.base);
    expect(report.uploads).toMatchObject({ lost: 0, twice: 0 });
  },
  LIMIT_MS,
);

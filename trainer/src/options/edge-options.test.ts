/** The site that commands with `--edge` name to it. */
import { SITE_HEADER } from "@waggle/protocol";
import { Command } from "commander";
import { afterEach, expect, test, vi } from "vitest";
import { type EdgeOptions, edgeOf, withEdge } from "./edge-options.ts";
import { siteFolder } from "./shared-options.ts";

afterEach(() => vi.unstubAllGlobals());

/** The header of a call of a command with these arguments. */
async function sentSite(...args: string[]): Promise<string | null> {
  let sent: string | null = null;
  vi.stubGlobal("fetch", async (_: string, { headers }: RequestInit) => {
    sent = new Headers(headers).get(SITE_HEADER);
    return Response.json({ site: "desk", environment: "forms", frozen: null, killed: null });
  });
  const { signal } = new AbortController();
  const environment = { WAGGLE_TRAINER_CREDENTIAL: "credential" };
  const silent = () => undefined;
  const command = withEdge(new Command("x").exitOverride().configureOutput({ writeErr: silent }));
  command.action(async (given: EdgeOptions) => {
    await edgeOf(given, { signal, environment, writeOut: silent, writeError: silent }).control();
  });
  await command.parseAsync(["--edge", "http://127.0.0.1:1", ...args], { from: "user" });
  return sent;
}

test("--site is sent with every call, and without it the credential decides", async () => {
  expect(await sentSite("--site", "desk")).toBe("desk");
  expect(await sentSite()).toBeNull();
});

test("an id that no site can have is refused before any call", async () => {
  await expect(sentSite("--site", "My Desk")).rejects.toThrow("lower-case letters");
});

test("each site has its own state folder, and the site `default` keeps the folder it had", () => {
  expect(siteFolder("state")).toBe("state");
  expect(siteFolder("state", "default")).toBe("state");
  expect(siteFolder("state", "desk")).toBe("state/sites/desk");
});

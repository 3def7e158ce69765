import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signerOf, signPolicy } from "@waggle/protocol/signing";
import { expect, onTestFinished, test } from "vitest";
import { openInstallation } from "./installation.ts";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "waggle-installation-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a new installation keeps its credentials, and a pair of keys that fit if it signs", async () => {
  const folder = emptyFolder();
  const { publisher, ...first } = openInstallation(folder, true);
  expect(openInstallation(folder)).toEqual({ ...first, publisher });
  const policy = { site: "default", version: 0, parent: null, baseModel: "b", adapter: null };
  const terms = { signedAt: 1, rollBackTo: [] };
  const signature = await signPolicy(publisher!.privateKey, policy, terms);
  expect(await signerOf([publisher!.publicKey], policy, signature)).toBe(publisher!.publicKey);
});

test("an installation of an earlier release stays unsigned", () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, "credentials.json"), '{"siteKey":"local-demo"}');
  expect(openInstallation(folder, true)).toEqual({ folder, siteKey: "local-demo" });
});

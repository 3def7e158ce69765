import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkoutAt } from "./checkout.ts";

function folderWith(manifest: object): string {
  const folder = mkdtempSync(join(tmpdir(), "waggle-checkout-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

test("a folder inside the repository belongs to its root, not to a workspace package", () => {
  const root = join(import.meta.dirname, "../../..");
  expect(checkoutAt(import.meta.dirname)).toBe(root);
  expect(checkoutAt(root)).toBe(root);
});

test("a project that only shares the name or uses the packages is not a checkout", () => {
  expect(checkoutAt(folderWith({ name: "waggle" }))).toBeNull();
  const shop = folderWith({ name: "shop", workspaces: ["apps/*"], devDependencies: {} });
  mkdirSync(join(shop, "apps"));
  expect(checkoutAt(join(shop, "apps"))).toBeNull();
});

/**
 * `npm run test:faults`: injects 200 faults at seeded moments of a running loop. Takes about 17 minutes and writes
 * docs/evidence/kill.json. `npm test` runs a sample of them.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { ensureChromium } from "./ensure-chromium.ts";
import { ROOT } from "./root.ts";

createCommand("npm run test:faults --")
  .description("kill and damage a running loop 200 times and count the losses")
  .parse();

ensureChromium();
const { status } = spawnSync(
  join(ROOT, "node_modules", ".bin", "vitest"),
  ["run", "--project", "e2e", "test/e2e/kill.test.ts"],
  { cwd: ROOT, stdio: "inherit", env: { ...process.env, WAGGLE_LONG: "1" } },
);
process.exit(status ?? 1);

/**
 * A short live loop with the shop: people and the site's backend in separate processes, and a trainer that cannot load the
 * environment. Uses only real components. It is too short for people to decide.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { runLoop } from "../../packages/dev/src/loop/loop.ts";
import { loopOptions } from "../../packages/cli/src/loop-options.ts";
import { ROOT } from "../../scripts/root.ts";
import { DEMO } from "../fixtures/demo.ts";
import { isLong } from "../fixtures/long.ts";

test.runIf(isLong())(
  "a trainer that cannot load the environment learns from people, and their release begins",
  async () => {
    const lines: string[] = [];
    const flags = { live: true, pages: 2, minutes: 2, publications: 1000, evaluationTasks: 0 };
    const options = loopOptions({ ...flags, answering: 1 }, DEMO);
    const report = await runLoop({
      ...options,
      device: "wasm",
      folder: join(ROOT, ".waggle", "test-live-loop"),
      trainerArgs: [...options.trainerArgs, "--groups-per-step", "8", "--publish-every", "1"],
      onLine: (name, line) => lines.push(`${name} ${line}`),
    }).catch((error: unknown) => {
      throw new Error(lines.slice(-40).join("\n"), { cause: error });
    });
    const { uploads, live, published, promoted } = report;
    expect(published).toBe(1);
    // Only people promote a version, and the run was too short for that.
    expect(promoted).toBe(0);
    expect(uploads.learned).toBeGreaterThanOrEqual(8);
    const { rejected, lost, twice } = uploads;
    expect({ rejected, lost, twice }).toEqual({ rejected: 0, lost: 0, twice: 0 });
    expect(live?.answered).toBeGreaterThanOrEqual(uploads.learned);
    expect(live?.good).toBeGreaterThan(0);
    expect(live?.bad).toBeGreaterThan(0);
    // The candidate has reached visitors.
    expect(live?.feedbackToPageSeconds.median).toBeGreaterThan(0);
    expect(lines.some((line) => line.includes("releasing"))).toBe(true);
  },
  600_000,
);

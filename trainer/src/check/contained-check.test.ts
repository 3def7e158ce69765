/** A bad trajectory in a lease does not stop the loop. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { afterAll, expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { type CheckJournal, openCheckJournal } from "./check-journal.ts";
import { containCheck } from "./contained-check.ts";
import { createReporter } from "../metrics/reporter.ts";
import type { TrajectoryChecker } from "./trajectory-check.ts";
import {
  createSetup,
  live,
  removeSetups,
  WITH_SIGNAL,
} from "../edge-training/training-loop.fixture.ts";
import { parityChecker } from "../edge-training/training.fixture.ts";

afterAll(removeSetups);

const groups = WITH_SIGNAL.slice(0, 4);
const poison = groups[0]?.trajectories[0]?.digest ?? "";
const lines: string[] = [];
const report = createReporter((line) => lines.push(line), true);

/** Calls `fail` at the poisoned trajectory. */
const failing = (fail: () => never): TrajectoryChecker => ({
  check: async (leased, ...rest) =>
    leased.digest === poison ? fail() : parityChecker.check(leased, ...rest),
});

async function withJournal<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-journal-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

fault(
  "an exception in the check of one trajectory rejects that trajectory only",
  { item: "1.1", before: "the trainer exits, and again at each of 5 restarts; 0 of 16 learned" },
  () =>
    withJournal(async (folder) => {
      const setup = await createSetup(groups);
      const inner = failing(() => {
        throw new TypeError("a kept set is not an array");
      });
      const checker = containCheck(inner, await openCheckJournal(folder), report);
      const { summary } = await live(setup, { checker });
      expect(summary.stoppedBy).toBe("idle");
      expect(setup.edge.acknowledged.get(poison)).toMatchObject([
        { status: "rejected", reason: "check-failed" },
      ]);
      const outcomes = [...setup.edge.acknowledged.values()].flat();
      const learned = outcomes.filter(({ status }) => status === "learned").length;
      expect(learned).toBeGreaterThan(8);
      expect(lines.find((line) => line.includes("check-failed"))).toContain(
        "a kept set is not an array",
      );
      return {
        after: `1 rejected as check-failed, ${learned} of ${outcomes.length} learned`,
        twice: setup.edge.twice,
      };
    }),
);

fault(
  "a check that ended the process three times is not started a fourth time",
  { item: "1.1", before: "every restart checks the same trajectory first and dies again" },
  () =>
    withJournal(async (folder) => {
      const setup = await createSetup(groups);
      class Dead extends Error {
        readonly syscall = "abort";
      }
      let begun = 0;
      let lives = 0;
      for (let isAlive = false; !isAlive && lives < 10; lives += 1) {
        const real = await openCheckJournal(folder);
        // A dead process would do nothing afterwards.
        const journal: CheckJournal = {
          crashesOf: (digest) => real.crashesOf(digest),
          begin: (digest) => real.begin(digest),
          end: async () => {},
        };
        const inner = failing(() => {
          begun += 1;
          throw new Dead("native code crashed");
        });
        const checker = containCheck(inner, journal, report);
        isAlive = await live(setup, { checker }).then(
          () => true,
          () => false,
        );
        setup.edge.expireLeases();
      }
      expect(begun).toBe(3);
      expect(setup.edge.acknowledged.get(poison)).toMatchObject([
        { status: "rejected", reason: "check-crashed" },
      ]);
      return {
        after: `3 restarts, then 1 rejected as check-crashed, ${setup.edge.acknowledged.size - 1} others judged`,
        twice: setup.edge.twice,
      };
    }),
);

test("a network failure during a check gives the lease back and does not reject the trajectory", async () => {
  await withJournal(async (folder) => {
    const setup = await createSetup(groups);
    let isDown = true;
    const inner = failing(() => {
      isDown = false;
      throw new WaggleError("NETWORK", "the edge does not answer", { retryable: true });
    });
    const flaky: TrajectoryChecker = {
      check: (...args) => (isDown ? inner : parityChecker).check(...args),
    };
    const checker = containCheck(flaky, await openCheckJournal(folder), report);
    const { summary } = await live(setup, { checker });
    expect(summary.twice).toBe(0);
    expect(setup.edge.acknowledged.get(poison)?.[0]?.reason).not.toBe("check-failed");
    expect(setup.edge.heldLeases).toBe(0);
  });
});

test.each([
  ["a refused credential", new WaggleError("UNAUTHENTICATED", "wrong credential")],
  ["a full disk", Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: "write" })],
  ["an abort", new DOMException("stopped", "AbortError")],
])("%s is rethrown", async (_name, error) => {
  await withJournal(async (folder) => {
    const checker = containCheck(
      failing(() => {
        throw error;
      }),
      await openCheckJournal(folder),
      report,
    );
    await expect(live(await createSetup(groups), { checker })).rejects.toBe(error);
  });
});

test("an unreadable journal starts empty", async () => {
  await withJournal(async (folder) => {
    const journal = await openCheckJournal(folder);
    await journal.begin("a");
    expect((await openCheckJournal(folder)).crashesOf("a")).toBe(1);
    expect((await openCheckJournal(folder)).crashesOf("a")).toBe(1);
    await writeFile(join(folder, "check-journal.json"), "{");
    expect((await openCheckJournal(folder)).crashesOf("a")).toBe(0);
  });
});

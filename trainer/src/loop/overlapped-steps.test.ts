import { WaggleError } from "@waggle/protocol";
import type { FlowLimits, RolloutFlow } from "@waggle/learning";
import fc from "fast-check";
import { expect, test } from "vitest";
import { overlappedSteps } from "./overlapped-steps.ts";

const someLimits = fc
  .record({
    batchSize: fc.integer({ min: 1, max: 4 }),
    mostStaleness: fc.nat(3),
    mostRunning: fc.integer({ min: 1, max: 8 }),
    more: fc.nat(8),
  })
  .map(({ more, ...limits }): FlowLimits => ({ ...limits, mostWaiting: limits.batchSize + more }));

const NEVER = new AbortController().signal;
const LIMITS: FlowLimits = { batchSize: 2, mostStaleness: 2, mostRunning: 4, mostWaiting: 6 };

test("in any order of completion, no step gets too many or too old rollouts, and all are counted", async () => {
  await fc.assert(
    fc.asyncProperty(
      someLimits,
      fc.integer({ min: 1, max: 6 }),
      fc.scheduler(),
      fc.infiniteStream(fc.record({ fails: fc.nat(9), newer: fc.nat(2) })),
      async (limits, steps, scheduler, chances) => {
        let [version, running, mostRunning] = [0, 0, 0];
        const ages: number[] = [];
        const seen = new Set<number>();
        const done = overlappedSteps<number>(
          limits,
          steps,
          {
            rollOut: async (id, begunAt) => {
              running += 1;
              mostRunning = Math.max(mostRunning, running);
              const { fails, newer } = chances.next().value;
              await scheduler.schedule(Promise.resolve(), `rollout ${id}`);
              running -= 1;
              if (fails === 0) throw new WaggleError("TOOL_UNAVAILABLE", "", { retryable: true });
              return { value: id, oldest: Math.min(version, begunAt + newer) };
            },
            learn: async (batch, flow) => {
              expect(batch).toHaveLength(limits.batchSize);
              expect(flow.capacity.version).toBe(version);
              for (const { value, oldest } of batch) {
                expect(seen.has(value)).toBe(false);
                seen.add(value);
                ages.push(version - oldest);
              }
              await scheduler.schedule(Promise.resolve(), `step ${version}`);
              version += 1;
            },
          },
          NEVER,
        );
        const [outcome] = await scheduler.waitFor(Promise.allSettled([done]));
        expect(mostRunning).toBeLessThanOrEqual(limits.mostRunning);
        expect(Math.max(0, ...ages)).toBeLessThanOrEqual(limits.mostStaleness);
        if (outcome.status === "rejected") {
          // All of this many consecutive rollouts failed.
          return WaggleError.is(outcome.reason, "TOOL_UNAVAILABLE");
        }
        const { counts, running: left, waiting } = outcome.value;
        const { begun, learned, tooOld, failed } = counts;
        return (
          version === steps &&
          learned === steps * limits.batchSize &&
          begun === learned + tooOld + failed + left.length + waiting.length
        );
      },
    ),
    { numRuns: 150 },
  );
});

test("rollouts continue during a step", async () => {
  const during: number[] = [];
  let learning = false;
  await overlappedSteps<number>(
    LIMITS,
    4,
    {
      rollOut: async (id, version) => {
        await tick();
        if (learning) during.push(id);
        return { value: id, oldest: version };
      },
      learn: async () => {
        learning = true;
        for (let i = 0; i < 5; i += 1) await tick();
        learning = false;
      },
    },
    NEVER,
  );
  expect(during.length).toBeGreaterThan(0);
});

test("a limit of 0 is synchronous: no rollout begins before the step is published", async () => {
  let learning = false;
  const flow = await overlappedSteps<number>(
    { ...LIMITS, mostStaleness: 0 },
    3,
    {
      rollOut: async (id, version) => {
        expect(learning).toBe(false);
        await tick();
        return { value: id, oldest: version };
      },
      learn: async () => {
        learning = true;
        await tick();
        learning = false;
      },
    },
    NEVER,
  );
  expect(flow.counts).toEqual({ begun: 6, learned: 6, tooOld: 0, failed: 0 });
});

test("an abort ends the run after all running work has ended", async () => {
  const stop = new AbortController();
  let open = 0;
  const run = overlappedSteps<number>(
    LIMITS,
    100,
    {
      rollOut: async (id, version, signal) => {
        open += 1;
        try {
          await tick();
          if (id > 6) await aborted(signal);
          return { value: id, oldest: version };
        } finally {
          open -= 1;
        }
      },
      learn: async (_, { capacity }) => {
        if (capacity.version === 1) stop.abort();
      },
    },
    stop.signal,
  );
  await expect(run).rejects.toThrow("aborted");
  expect(open).toBe(0);
});

test("an error that is not retryable is rethrown, and the other rollouts are stopped", async () => {
  let stopped = 0;
  const run = overlappedSteps<number>(
    LIMITS,
    3,
    {
      rollOut: async (id, _, signal) => {
        if (id === 1) throw new RangeError("broken");
        await aborted(signal).catch(() => (stopped += 1));
        throw new Error("stopped");
      },
      learn: async (): Promise<void> => {},
    },
    NEVER,
  );
  await expect(run).rejects.toThrow("broken");
  expect(stopped).toBe(3);
});

test("no rollout begins if no step is left for it", async () => {
  const states: RolloutFlow[] = [];
  await overlappedSteps<number>(
    LIMITS,
    2,
    {
      rollOut: async (id, version) => {
        await tick();
        return { value: id, oldest: version };
      },
      learn: async (_, flow) => {
        states.push(flow);
        await tick();
      },
    },
    NEVER,
  );
  expect(states.at(-1)?.counts.begun).toBe(4);
});

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
}

import "fake-indexeddb/auto";
import { createOutbox } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { Environment, TaskReference, Trajectory } from "@waggle/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createSimulation } from "./simulation.ts";

const task: TaskReference = { environment: "test", seed: 1, split: "train" };
const environment: Environment = {
  task,
  observe: () => Promise.resolve({ system: "", tools: [], userMessage: "" }),
  step: () => Promise.resolve({ toolResults: [], terminated: true }),
};
const noTask = new WaggleError("RATE_LIMITED", "the edge has no task now", {
  retryable: true,
  retryAfterMs: 2000,
});
const away = new WaggleError("NETWORK", "the edge is away", { retryable: true });

test("without a task one worker asks again after the requested wait, and no rollout is lost", async () => {
  const outbox = await createOutbox({ name: crypto.randomUUID() });
  onTestFinished(() => outbox.close());
  const refusals: (Error | null)[] = [null, noTask, noTask, away, away, noTask];
  const waits: number[] = [];
  let asking = 0;
  let mostAsking = 0;
  let asked = 0;
  const shown = new Set<string>();
  const simulation = createSimulation({
    outbox,
    onChange: () => shown.add(`${simulation.progress.assigned} ${simulation.progress.waiting}`),
    async assign() {
      mostAsking = Math.max(mostAsking, ++asking);
      await Promise.resolve();
      asking--;
      asked++;
      const refusal = refusals.shift();
      if (refusal) throw refusal;
      return { assignmentId: crypto.randomUUID(), groupId: crypto.randomUUID(), task };
    },
    rollOut: () => Promise.resolve({ stopReason: "completed" } as Trajectory),
    enqueue: () => Promise.resolve({ stored: true, digest: crypto.randomUUID(), duplicate: false }),
    pause: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  });
  await simulation.run({ environment: () => environment, tasks: 8, parallel: 4 });
  const ended = { assigned: 8, completed: 8, failed: 0, waiting: false };
  expect(simulation.progress).toMatchObject(ended);
  expect([...shown]).toEqual(expect.arrayContaining(["1 false", "1 true", "2 false"]));
  expect(mostAsking).toBe(1);
  expect(asked).toBe(8 + 5);
  // Follows the edge's Retry-After; if nothing answers, the waits grow.
  expect(waits).toEqual([2000, 2000, 2000, 4000, 2000]);
});

/** What the base of a site of the study learns, and what it cannot know. */
import { mulberry32, type TaskReference, type TaskSplit } from "@waggle/protocol";
import { expect, test } from "vitest";
import { PARCELS } from "./parcels.ts";
import { REPAIRS } from "./repairs.ts";
import type { StudySite } from "./study-site.ts";

const TASKS = 600;

function tasksOf({ task, reference }: StudySite["people"], split: TaskSplit) {
  const references = Array.from({ length: TASKS }, (_, i) => reference(i, split, 0));
  return references.map((one) => ({ one, request: task(one).request, kind: task(one).kind }));
}

async function answerTo({ demonstrator }: StudySite["people"], task: TaskReference) {
  return (await demonstrator(task, mulberry32(1), 0))(null).text;
}

test.each([PARCELS, REPAIRS])("$people.name: people's own answers succeed", async ({ people }) => {
  for (const { one } of tasksOf(people, "heldOut").slice(0, 50)) {
    const { judge } = people.create(one);
    expect((await judge(await answerTo(people, one))).success).toBe(true);
    expect((await judge("something else")).success).toBe(false);
  }
});

test.each([PARCELS, REPAIRS])(
  "$people.name: a call is a mistake of the model",
  async ({ people }) => {
    const { environment } = people.create(people.reference(1, "train", 0));
    await environment.observe();
    const call = { id: "c1", name: "look", arguments: {} };
    const { toolResults } = await environment.step(
      { text: "", toolCalls: [call] },
      new AbortController().signal,
    );
    expect(toolResults).toMatchObject([
      { callId: "c1", ok: false, error: { code: "UNKNOWN_TOOL" } },
    ]);
  },
);

test.each([PARCELS, REPAIRS])(
  "$people.name: no held-out request is in practice or demonstrated",
  ({ people, demonstrations }) => {
    const heldOut = new Set(tasksOf(people, "heldOut").map(({ request }) => request));
    expect(heldOut.size).toBeGreaterThan(60);
    const shown = [...tasksOf(people, "train"), ...tasksOf(demonstrations, "train")];
    for (const { request } of shown) {
      expect([...heldOut].some((held) => request.startsWith(held))).toBe(false);
    }
  },
);

test.each([PARCELS, REPAIRS])(
  "$people.name: for half of the kinds, most demonstrations give an answer that people do not want",
  async ({ people, demonstrations }) => {
    const wanted = new Map<string, string>();
    for (const { one, kind } of tasksOf(people, "train")) {
      wanted.set(kind, await answerTo(people, one));
    }
    const shares = new Map<string, number[]>();
    for (const { one, request, kind } of tasksOf(demonstrations, "train")) {
      const answer = await answerTo(demonstrations, one);
      // A request that names an answer gets it.
      if (request.includes(answer)) continue;
      shares.set(kind, [...(shares.get(kind) ?? []), answer === wanted.get(kind) ? 1 : 0]);
    }
    const means = [...shares.values()].map(
      (all) => all.reduce((sum, one) => sum + one) / all.length,
    );
    expect(means.filter((share) => share > 0.45)).toHaveLength(means.length / 2);
    expect(means.filter((share) => share < 0.3)).toHaveLength(means.length / 2);
  },
);

/** Simulated people with the real agent: what they send to the edge, and what stays in the page. */
import "fake-indexeddb/auto";
import { defineEnvironment } from "@waggle/agent/define";
import { canonicalJson } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import { drawPerson } from "../../apps/practice/src/person.ts";
import { createSampleTask } from "../../apps/practice/src/sample-task.ts";
import { simulatePeople } from "../../apps/practice/src/simulated-people.ts";
import { openPage, say } from "../../packages/embed/src/agent.fixture.ts";

const COLORS = ["red", "blue", "green", "white"] as const;

const rooms = defineEnvironment({
  name: "secret-rooms",
  prompt: "You paint rooms.",
  splits: "own",
  tasks: ({ pick }) => {
    const color = pick(COLORS);
    return { request: `Paint it ${color}.`, state: { painted: "" }, data: { color } };
  },
  tools: {
    paint: {
      description: "Paints the room.",
      parameters: {
        type: "object",
        properties: { color: { enum: COLORS } },
        required: ["color"],
        additionalProperties: false,
      },
      run: ({ color }, state) => {
        state.painted = color;
        return "painted";
      },
    },
  },
  verify: ({ state, data }) => state.painted === data.color,
});

/** The default is one second, which is short on a busy machine. */
const SLOW = { timeout: 30_000 };

const PEOPLE = { count: 8, signal: "thumb", answering: 1, wrong: 0, seed: 11 } as const;

test("people send live requests and thumbs, and neither task, verdict nor seed", async () => {
  const sample = await createSampleTask(rooms);
  // Every answer paints the room red, which is right for some.
  const turns = Array.from({ length: PEOPLE.count }, () => [
    say("", { name: "paint", arguments: { color: "red" } }),
    say("Done."),
  ]).flat();
  const { agent, edge } = openPage({ tools: sample.tools, system: sample.system, turns });
  agent.consent.grant();
  const errors: unknown[] = [];
  const people = simulatePeople({
    agent,
    sample,
    environment: rooms,
    request: PEOPLE,
    onError: (error) => errors.push(error),
  });
  await vi.waitFor(() => expect(people.progress.running).toBe(false), SLOW);
  const { reactions, progress } = people;
  await vi.waitFor(() => {
    expect(edge.trajectories).toHaveLength(PEOPLE.count);
    expect(edge.feedback).toHaveLength(progress.answered);
  }, SLOW);
  await agent.dispose();
  expect(errors).toEqual([]);
  expect(progress).toMatchObject({ requests: PEOPLE.count, failed: 0 });

  // What each person asked for, by the seed, which the edge does not have.
  const tasks = Array.from({ length: PEOPLE.count }, (_, index) => {
    const person = drawPerson(PEOPLE, index);
    const reference = { environment: rooms.name, seed: person.taskSeed, split: "train" } as const;
    const isHappy = rooms.task(reference).request === "Paint it red.";
    return { seed: reference.seed, verdict: person.verdict(isHappy) };
  });
  const thumbs = { good: "thumb-up", bad: "thumb-down" } as const;
  const given = tasks.flatMap(({ verdict }) => (verdict === null ? [] : thumbs[verdict]));
  expect(new Set(given)).toEqual(new Set(["thumb-up", "thumb-down"]));
  const kinds = new Map(edge.feedback.map(({ trajectoryId, kind }) => [trajectoryId, kind]));
  expect(reactions.map(({ trajectoryId }) => kinds.get(trajectoryId))).toEqual(given);

  expect(edge.paths).not.toContain("/v1/assignments");
  expect(edge.trajectories.map(({ task, assignmentId }) => ({ task, assignmentId }))).toEqual(
    tasks.map(() => ({ task: null, assignmentId: null })),
  );
  const sent = canonicalJson([edge.trajectories, edge.feedback]);
  for (const { seed } of tasks) expect(sent).not.toContain(String(seed));
  expect(sent).not.toMatch(/secret-rooms|success|reward|verdict/);
});

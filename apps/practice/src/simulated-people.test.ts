import type { Agent, ConversationItem } from "@waggle/embed";
import type { PeopleRequest, SimulatedPeople } from "@waggle/embed/practice";
import { createTurnEnvironment, type EnvironmentSpec } from "@waggle/environments";
import type { StopReason } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import { drawPerson } from "./person.ts";
import { createSampleTask, type SampleTask } from "./sample-task.ts";
import { simulatePeople } from "./simulated-people.ts";

/** A person wants a number written down with the tool, and said. If it is odd, there is a second message. */
const numbers = {
  name: "numbers",
  levels: 1,
  maxTurns: 4,
  reference: (seed, split) => ({ environment: "numbers", seed, split }),
  create(reference) {
    const wanted = String(reference.seed);
    const written: unknown[] = [];
    let replies = reference.seed % 2;
    return {
      environment: createTurnEnvironment({
        task: reference,
        begin: () => ({
          system: "You write.",
          tools: [
            {
              name: "write",
              description: "Writes.",
              parameters: { type: "object" },
              source: "page",
            },
          ],
          userMessage: `Write ${wanted}.`,
        }),
        run: async ({ id, arguments: { number } }) => {
          written.push(number);
          return { callId: id, ok: true, value: "written" };
        },
        reply: () => (replies-- > 0 ? "And say it." : null),
      }),
      judge: (text) => {
        const success = text === wanted && written.includes(wanted);
        return { reward: success ? 1 : 0, success, parts: {} };
      },
    };
  },
} satisfies Pick<EnvironmentSpec, "name" | "levels" | "maxTurns" | "reference" | "create">;

/** How the agent answers a message: a number to write and say, or a reason to stop. */
type Answer = { readonly say: string; readonly stopReason?: StopReason } | Error;

/** An agent that writes what it says with the page's tool. `log` has what happened to it. */
function fakeAgent(sample: SampleTask, answer: (message: string, nth: number) => Answer) {
  const log: string[] = [];
  let conversation: readonly ConversationItem[] = [];
  let messages = 0;
  let isAgreed = true;
  const { signal } = new AbortController();
  const agent = {
    get conversation() {
      return conversation;
    },
    consent: { get: () => (isAgreed ? {} : null) },
    clear() {
      conversation = [];
      log.push("clear");
    },
    send(text: string) {
      log.push(text);
      const said = answer(text, (messages += 1));
      const id = `trajectory-${messages}`;
      const finish = async () => {
        if (said instanceof Error) throw said;
        const { say, stopReason = "completed" } = said;
        // A page tells the policy that a call failed, for example because the task is over.
        const ran = sample.tools[0]?.run({ number: say }, { signal } as never);
        await Promise.resolve(ran).catch(() => undefined);
        const parts = [{ kind: "text", text: say }];
        const item = { kind: "answer", id, parts, trajectoryId: id, stopReason };
        conversation = [...conversation, item as unknown as ConversationItem];
        return { text: say, stopReason };
      };
      return { finished: finish() };
    },
    async feedback(kind: string, trajectoryId: string) {
      log.push(`${kind} ${trajectoryId}`);
      return isAgreed ? ("queued" as const) : ("not-shared" as const);
    },
    async outcome(metric: string, value: boolean | number) {
      log.push(`outcome ${metric} ${value}`);
      return isAgreed ? ("queued" as const) : ("not-shared" as const);
    },
    withdraw() {
      isAgreed = false;
    },
  };
  return { agent: agent as typeof agent & Pick<Agent, "send" | "consent">, log };
}

/** The default is one second, which is short on a busy machine. */
const SLOW = { timeout: 30_000 };

const numberIn = (message: string): string => /\d+/.exec(message)?.[0] ?? "";
const ALWAYS = { signal: "thumb", answering: 1, wrong: 0, seed: 5 } as const;

/** A seed whose first people type so many messages each, 1 or 2. */
function seedOf(...messages: readonly number[]): number {
  for (let seed = 0; ; seed += 1) {
    const taskSeeds = messages.map((_, i) => drawPerson({ ...ALWAYS, seed }, i).taskSeed);
    if (taskSeeds.every((taskSeed, i) => 1 + (taskSeed % 2) === messages[i])) return seed;
  }
}

/** Runs people to their end. @param during - called with each message, before it is answered */
async function run(
  request: PeopleRequest,
  answer: (message: string, nth: number) => Answer,
  during: (
    people: SimulatedPeople,
    agent: ReturnType<typeof fakeAgent>["agent"],
  ) => void = () => {},
) {
  const environment = numbers as unknown as EnvironmentSpec;
  const sample = await createSampleTask(environment);
  const errors: unknown[] = [];
  let people: SimulatedPeople;
  const { agent, log } = fakeAgent(sample, (message, nth) => {
    during(people, agent);
    return answer(message, nth);
  });
  people = simulatePeople({
    agent,
    sample,
    environment,
    request,
    onError: (error) => errors.push(error),
  });
  expect(people.progress.running).toBe(true);
  await vi.waitFor(() => expect(people.progress.running).toBe(false), SLOW);
  return { people, log, errors };
}

test("a person types one message after the other and rates the last answer, in a conversation of their own", async () => {
  let wanted = "";
  const right = (message: string): Answer => ({ say: (wanted = numberIn(message) || wanted) });
  const { people, log, errors } = await run({ ...ALWAYS, count: 2, seed: seedOf(1, 2) }, right);
  const [first, second] = log.filter((line) => line.startsWith("Write")).map(numberIn);
  expect(first).not.toBe(second);
  const given = people.reactions.map(({ trajectoryId }) => trajectoryId);
  expect(log.filter((line) => !line.startsWith("thumb"))).toEqual([
    "clear",
    `Write ${first}.`,
    "clear",
    `Write ${second}.`,
    "And say it.",
  ]);
  // The second answer of the second person is the third of all.
  expect(["trajectory-1", "trajectory-3"]).toEqual(expect.arrayContaining(given));
  expect(people.progress).toMatchObject({ requests: 3, failed: 0 });
  expect(errors).toEqual([]);
});

test("right answers get thumbs up, wrong and cut ones thumbs down", async () => {
  const rated: { [trajectoryId: string]: string } = {};
  let wanted = "";
  const mixed = (message: string, nth: number): Answer => {
    wanted = numberIn(message) || wanted;
    const kind = ["right", "wrong", "cut"][Number(wanted) % 3] as string;
    rated[`trajectory-${nth}`] = kind;
    if (kind === "wrong") return { say: "none" };
    return { say: wanted, ...(kind === "cut" ? { stopReason: "max-turns" } : {}) };
  };
  const { people, log } = await run({ ...ALWAYS, count: 300 }, mixed);
  const { answered, good, bad, failed } = people.progress;
  const given = log.filter((line) => line.startsWith("thumb")).map((line) => line.split(" "));
  expect(
    given.every(
      ([thumb, id = ""]) => thumb === (rated[id] === "right" ? "thumb-up" : "thumb-down"),
    ),
  ).toBe(true);
  const down = given.filter(([thumb]) => thumb === "thumb-down").length;
  expect({ answered, good, bad, failed }).toEqual({
    answered: given.length,
    good: given.length - down,
    bad: down,
    failed: 0,
  });
  expect(people.reactions.map(({ trajectoryId }) => trajectoryId)).toEqual(
    given.map(([, id]) => id),
  );
  // Every unhappy person answers, and two in three of the happy ones do: about 200 and 67.
  expect(bad).toBeGreaterThan(160);
  expect(good).toBeGreaterThan(40);
  expect(good).toBeLessThan(95);
});

test("people can report an outcome or type a message instead", async () => {
  const wrong = (): Answer => ({ say: "none" });
  const requests = { ...ALWAYS, count: 3, seed: seedOf(1, 1, 1) };
  const reported = await run({ ...requests, signal: "outcome" }, wrong);
  expect(reported.log.filter((line) => line.startsWith("outcome"))).toEqual(
    Array.from({ length: 3 }, () => "outcome solved false"),
  );
  const typed = await run({ ...requests, signal: "message" }, wrong);
  expect(typed.people.progress).toMatchObject({ requests: 6, answered: 3, good: 0, bad: 3 });
  // The message is typed after the answer that it is about, in the same conversation.
  expect(typed.log.filter((line) => line === "clear")).toHaveLength(3);
  expect(typed.people.reactions.map(({ trajectoryId }) => trajectoryId)).toEqual([
    "trajectory-1",
    "trajectory-3",
    "trajectory-5",
  ]);
  expect(typed.errors).toEqual([]);
});

test("an error costs one task, and three in a row end it with the error", async () => {
  const silent = (_: string, nth: number): Answer =>
    nth % 3 === 0 ? { say: "none" } : new Error(`lost ${nth}`);
  const going = await run({ ...ALWAYS, count: 4, seed: seedOf(1, 1, 1, 1) }, silent);
  // The third person's answer is wrong, and the fourth one's is lost again.
  expect(going.people.progress).toMatchObject({ requests: 4, answered: 1, failed: 3 });
  expect(going.errors).toEqual([]);
  const ended = await run({ ...ALWAYS, count: Infinity }, (_, nth) => new Error(`lost ${nth}`));
  expect(ended.people.progress).toMatchObject({ requests: 3, answered: 0, failed: 3 });
  expect(ended.errors).toEqual([new Error("lost 3")]);
});

test("stopping lets the current person finish", async () => {
  let asked = 0;
  const stopAtThird = (people: SimulatedPeople): void => {
    if ((asked += 1) === 3) people.stop();
  };
  const { people, errors } = await run(
    { ...ALWAYS, count: Infinity, seed: seedOf(1, 1, 1) },
    () => ({ say: "none" }),
    stopAtThird,
  );
  expect(people.progress.answered).toBe(3);
  expect(errors).toEqual([]);
});

test("nobody comes after consent is withdrawn", async () => {
  const { people, errors } = await run(
    { ...ALWAYS, count: Infinity, seed: seedOf(1) },
    () => ({ say: "none" }),
    (_, agent) => agent.withdraw(),
  );
  expect(people.progress).toMatchObject({ requests: 1, answered: 0, failed: 1 });
  expect(errors).toEqual([]);
});

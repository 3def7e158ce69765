/** One person after another, at a page that writes what it says, and at the site's real backend. */
import { createTurnEnvironment, type EnvironmentSpec } from "@waggle/environments";
import { expect, test } from "vitest";
import { createSiteBackend, type SiteBackend } from "../backend/site-backend.ts";
import type { SiteCall } from "./errand.ts";
import { drawPerson, type LivePeople } from "./person.ts";
import { type HandledBackend, type HandledPage, type Reaction, visit } from "./visit.ts";

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
          if (number === "none")
            return {
              callId: id,
              ok: false,
              error: { code: "INVALID_ARGUMENT", message: "no number" },
            };
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

/** How the page answers a message: a number to write and say, or a reason to stop. */
type Answer = { readonly say: string; readonly isCut?: boolean } | Error;

/** The site's backend over `Request`, as a visit and its page use it. */
function handled(
  backend: SiteBackend,
): HandledBackend & { run: (call: SiteCall) => Promise<void> } {
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const request = new Request(
      `http://localhost${path}`,
      body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
    );
    const response = await backend(request);
    expect(response.status).toBe(200);
    return response.json();
  };
  return {
    begin: async (reference) => void (await ask("/visits/one", reference)),
    calls: async () => (await ask("/visits/one/calls")) as SiteCall[],
    tell: async (trajectoryId, solved) => void (await ask("/solved", { trajectoryId, solved })),
    run: async (call) => void (await ask("/visits/one/calls", call)),
  };
}

const ALWAYS = { signal: "thumb", answering: 1, wrong: 0, seed: 5 } as const;
const numberIn = (message: string): string => /\d+/.exec(message)?.[0] ?? "";

/** Visits of so many people. `log` has what the page and the site's server got. */
async function visits(
  people: LivePeople,
  count: number,
  answer: (message: string, nth: number) => Answer,
) {
  const log: string[] = [];
  const backend = handled(
    await createSiteBackend({
      spec: numbers,
      report: async (outcomes) => {
        for (const { trajectoryId, value } of outcomes as {
          trajectoryId: string;
          value: boolean;
        }[])
          log.push(`outcome ${value} ${trajectoryId}`);
      },
    }),
  );
  let [messages, requests] = [0, 0];
  const page: HandledPage = {
    startOver: async () => void log.push("clear"),
    ask: async (message) => {
      log.push(message);
      const said = answer(message, (messages += 1));
      if (said instanceof Error) throw said;
      // A call that fails is told to the policy, for example because the task is over.
      await backend.run({ name: "write", arguments: { number: said.say } });
      return said.isCut === true ? null : said.say;
    },
    press: async (thumb) => void log.push(`${thumb} trajectory-${messages}`),
    trajectoryId: async () => `trajectory-${messages}`,
  };
  const { signal } = people;
  const onRequest = (): void => void (requests += 1);
  const reactions: (Reaction | null)[] = [];
  for (let i = 0; i < count; i += 1) {
    const person = drawPerson(people, i);
    reactions.push(await visit({ page, backend, spec: numbers, signal, onRequest }, person));
  }
  return { log, reactions, requests };
}

/** A seed whose first people type so many messages each, 1 or 2. */
function seedOf(...messages: readonly number[]): number {
  for (let seed = 0; ; seed += 1) {
    const taskSeeds = messages.map((_, i) => drawPerson({ ...ALWAYS, seed }, i).taskSeed);
    if (taskSeeds.every((taskSeed, i) => 1 + (taskSeed % 2) === messages[i])) return seed;
  }
}

test("a person types one message after the other and rates the last answer, in a conversation of their own", async () => {
  let wanted = "";
  const right = (message: string): Answer => ({ say: (wanted = numberIn(message) || wanted) });
  const { log, reactions, requests } = await visits({ ...ALWAYS, seed: seedOf(1, 2) }, 2, right);
  const [first, second] = log.filter((line) => line.startsWith("Write")).map(numberIn);
  expect(first).not.toBe(second);
  expect(log.filter((line) => !/^(up|down)/.test(line))).toEqual([
    "clear",
    `Write ${first}.`,
    "clear",
    `Write ${second}.`,
    "And say it.",
  ]);
  const rated = reactions.flatMap((one) => one?.trajectoryId ?? []);
  // The second answer of the second person is the third of all.
  expect(["trajectory-1", "trajectory-3"]).toEqual(expect.arrayContaining(rated));
  expect(requests).toBe(3);
});

test("right answers get thumbs up, wrong and cut ones thumbs down", async () => {
  const rated: { [trajectoryId: string]: string } = {};
  let wanted = "";
  const mixed = (message: string, nth: number): Answer => {
    wanted = numberIn(message) || wanted;
    const kind = ["right", "wrong", "cut"][Number(wanted) % 3] as string;
    rated[`trajectory-${nth}`] = kind;
    if (kind === "wrong") return { say: "none" };
    return { say: wanted, isCut: kind === "cut" };
  };
  const { log, reactions } = await visits(ALWAYS, 300, mixed);
  const given = log.filter((line) => /^(up|down) /.test(line)).map((line) => line.split(" "));
  expect(given.every(([thumb, id = ""]) => thumb === (rated[id] === "right" ? "up" : "down"))).toBe(
    true,
  );
  const said = reactions.filter((one) => one !== null);
  expect(said.map(({ trajectoryId }) => trajectoryId)).toEqual(given.map(([, id]) => id));
  const bad = said.filter(({ verdict }) => verdict === "bad").length;
  // Every unhappy person answers, and two in three of the happy ones do: about 200 and 67.
  expect(bad).toBeGreaterThan(160);
  expect(said.length - bad).toBeGreaterThan(40);
  expect(said.length - bad).toBeLessThan(95);
});

test("people can tell the site's backend, which reports an outcome, or type a message instead", async () => {
  const wrong = (): Answer => ({ say: "none" });
  const requests = { ...ALWAYS, seed: seedOf(1, 1, 1) };
  const told = await visits({ ...requests, signal: "outcome" }, 3, wrong);
  expect(told.log.filter((line) => line.startsWith("outcome"))).toEqual(
    [1, 2, 3].map((nth) => `outcome false trajectory-${nth}`),
  );
  expect(told.log.filter((line) => /^(up|down)/.test(line))).toEqual([]);
  const typed = await visits({ ...requests, signal: "message" }, 3, wrong);
  expect(typed.requests).toBe(6);
  // The message is typed after the answer that it is about, in the same conversation.
  expect(typed.log.filter((line) => line === "clear")).toHaveLength(3);
  expect(typed.reactions.map((one) => one?.trajectoryId)).toEqual([
    "trajectory-1",
    "trajectory-3",
    "trajectory-5",
  ]);
});

test("a page that does not answer is an error of this person alone", async () => {
  const lost = (_: string, nth: number): Answer =>
    nth === 1 ? new Error("lost") : { say: "none" };
  await expect(visits({ ...ALWAYS, seed: seedOf(1) }, 1, lost)).rejects.toThrow("lost");
  expect((await visits(ALWAYS, 0, lost)).reactions).toEqual([]);
});

/** A sound environment passes every check, and each planted fault is caught by its check, with its message. */
import { environmentNamed } from "@waggle/environments";
import { expect, onTestFinished, test, vi } from "vitest";
import { skipOutside } from "../../../../../../test/fixtures/long.ts";
import golden from "./check-messages.golden.json" with { type: "json" };
import {
  type Data,
  type Notes,
  SOUND,
  soundLines,
  withFault,
} from "./colors-environment.fixture.ts";
import { checkEnvironment, type EnvironmentSpec } from "../index.ts";

/** What the checks say, for a person to read. */
const { sound: SOUND_LINES, faults } = golden;
const MESSAGES: { readonly [fault: string]: unknown } = faults;

/** Messages of the checks that fail, by check. */
async function failures(spec: EnvironmentSpec): Promise<{ [check: string]: string }> {
  const found: { [check: string]: string } = {};
  for await (const { check, status, words } of checkEnvironment(spec, { tasks: 5 })) {
    if (status === "failed") found[check] = words;
  }
  return found;
}

test("a sound environment fails no check", async () => {
  expect(await soundLines()).toEqual(SOUND_LINES);
});

test("an environment that is only kept has no checks of splits, base models and levels", async () => {
  const names: string[] = [];
  for await (const { check } of checkEnvironment(environmentNamed("form"), {
    tasks: 2,
    use: "retention",
  })) {
    names.push(check);
  }
  expect(names).toEqual(["tasks", "schemas", "secrets", "gold", "near misses", "replay"]);
});

test.for(["form", "calculator", "key-door", "dialogue"])(
  "the built-in environment %s passes every check that it has examples for",
  async (name, context) => {
    skipOutside(name === "form" || name === "key-door", context);
    expect(await failures(environmentNamed(name))).toEqual({});
  },
);

let counter = 0;
const FAULTS: readonly (readonly [fault: string, check: string, changed: object])[] = [
  [
    "tasks that depend on a counter",
    "tasks",
    {
      splits: "own",
      tasks: () => ({
        request: `Write ${(counter += 1)} words.`,
        state: { notes: [] },
        data: { colors: ["red"] },
      }),
    },
  ],
  [
    "a state that is not drawn from random",
    "tasks",
    {
      tasks: (draw: Parameters<typeof SOUND.tasks>[0]) => ({
        ...SOUND.tasks(draw),
        state: { notes: [], opened: (counter += 1) },
      }),
    },
  ],
  ["tasks that ignore the split", "splits", { splits: "own" }],
  [
    "a schema with a broken pattern",
    "schemas",
    {
      tools: {
        write: {
          ...SOUND.tools.write,
          parameters: { type: "object", properties: { text: { type: "string", pattern: "(" } } },
        },
      },
    },
  ],
  [
    "a schema that requires a name it does not allow",
    "schemas",
    {
      tools: {
        write: {
          ...SOUND.tools.write,
          parameters: {
            type: "object",
            properties: { text: { type: "string" } },
            required: ["texts"],
            additionalProperties: false,
          },
        },
      },
    },
  ],
  ["an API key in the prompt", "secrets", { prompt: "Use sk-live-0123456789abcdefghij." }],
  ["an answer in the prompt", "secrets", { prompt: "Say 3 colors if you are done." }],
  [
    "an answer in a tool's description",
    "secrets",
    { tools: { write: { ...SOUND.tools.write, description: "Write until there are 3 colors." } } },
  ],
  ["gold turns with a call that fails", "gold", { gold: () => [["write", { text: "no" }], "1"] }],
  ["gold turns that are wrong", "gold", { gold: () => [["write", { text: "red" }], "1 colors"] }],
  [
    "a verifier that reads the text only",
    "near misses",
    { verify: ({ text }: { text: string | null }) => text?.endsWith(" colors") === true },
  ],
  [
    "a verifier that accepts an untouched state",
    "doing nothing",
    {
      verify: ({ state, data }: { state: Notes; data: Data }) =>
        state.notes.every((note, i) => note === data.colors[i]),
      nearMiss: () => [],
    },
  ],
  [
    "a verifier that cannot read a missing text",
    "doing nothing",
    {
      verify: ({ state, text, data }: { state: Notes; text: string; data: Data }) =>
        text.length < 20 && state.notes.join() === data.colors.join(),
    },
  ],
  ["too few turns", "demonstrator", { maxTurns: 3 }],
  [
    "a tool that hangs",
    "demonstrator",
    { tools: { write: { ...SOUND.tools.write, run: () => new Promise(() => {}) } } },
  ],
  [
    "a tool that returns 10 MB",
    "demonstrator",
    { tools: { write: { ...SOUND.tools.write, run: () => "x".repeat(1e7) } } },
  ],
  [
    "a demonstrator that does the same in every task",
    "mistakes",
    {
      verify: ({ state }: { state: Notes }) => state.notes.join() === "red",
      demonstrate: () => [["write", { text: "red" }], "Done."],
    },
  ],
  [
    "a tool that counts beyond its task",
    "replay",
    { tools: { write: { ...SOUND.tools.write, run: () => (counter += 1) } } },
  ],
  [
    "a verifier that counts beyond its task",
    "replay",
    {
      verify: () => ({ success: false, reasons: [`verdict ${(counter += 1)}`] }),
    },
  ],
  [
    "levels that are alike",
    "levels",
    { tasks: (draw: Parameters<typeof SOUND.tasks>[0]) => SOUND.tasks({ ...draw, level: 0 }) },
  ],
];

test("a check that cannot run has failed, and the others run", async () => {
  const spec: EnvironmentSpec = {
    ...withFault({}),
    create: () => {
      throw new Error("no such file");
    },
  };
  const found = [];
  for await (const { status, words } of checkEnvironment(spec, { tasks: 2 })) {
    found.push(status === "failed" ? words : status);
  }
  expect(found).toHaveLength(SOUND_LINES.length);
  expect(new Set(found)).toEqual(new Set(["no such file", "passed", "skipped"]));
});

test("every planted fault has a message", () => {
  expect(FAULTS.map(([fault]) => fault)).toEqual(Object.keys(MESSAGES));
});

test.each(FAULTS)("%s: caught", async (fault, check, changed) => {
  counter = 0;
  const message = (await failures(withFault(changed)))[check];
  expect({ check, message }).toEqual(MESSAGES[fault]);
});

test("an unseeded draw in one task of thirty is found, also if one task is to be checked", async () => {
  counter = 0;
  const tasks = (draw: Parameters<typeof SOUND.tasks>[0]) => {
    const task = SOUND.tasks(draw);
    const isRare = draw.pick(Array.from({ length: 30 }, (_, i) => i)) === 0;
    return isRare ? { ...task, request: `${task.request} ${(counter += 1)}` } : task;
  };
  const found = [];
  for await (const { check, status, words } of checkEnvironment(withFault({ tasks }), {
    tasks: 1,
  })) {
    if (check === "tasks") found.push(status, words);
  }
  expect(found).toEqual(["failed", expect.stringContaining("Draw from random and pick only")]);
});

test("a verifier that hangs is waited for once, and each check that needs it says so", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const found = failures(withFault({ verify: () => new Promise(() => {}) }));
  await vi.advanceTimersByTimeAsync(60_000);
  const words = "verify gave no verdict within 60000 ms at seed 0, train, level 0";
  expect(await found).toMatchObject({ gold: words, "doing nothing": words, demonstrator: words });
});

import { expect, test } from "vitest";
import { BANDIT } from "./bandit.ts";
import { CALCULATOR } from "./calculator.ts";
import { DIALOGUE } from "./dialogue.ts";
import { DIARY } from "./diary.ts";
import { FORM } from "./form.ts";
import { KEY_DOOR } from "./key-door.ts";
import { LOOKUP } from "./lookup/lookup.ts";
import { lookupInstance } from "./lookup/lookup-instance.ts";
import { STRINGS } from "./strings.ts";
import type { Judgment, EnvironmentSpec } from "./environment-spec.ts";

const signal = new AbortController().signal;
type Step = string | readonly [tool: string, args?: { readonly [key: string]: unknown }];

/** Acts in an environment as told and judges the result. The last text is the final text. */
async function judged(
  spec: EnvironmentSpec,
  reference: Parameters<EnvironmentSpec["create"]>[0],
  ...steps: readonly Step[]
): Promise<Judgment & { readonly results: readonly unknown[] }> {
  const { environment, judge } = spec.create(reference);
  await environment.observe();
  const results: unknown[] = [];
  let text: string | null = null;
  for (const [i, step] of steps.entries()) {
    const isText = typeof step === "string";
    text = isText ? step : null;
    const toolCalls = isText ? [] : [{ id: `c${i}`, name: step[0], arguments: step[1] ?? {} }];
    const observation = await environment.step({ text: text ?? "", toolCalls }, signal);
    const [result] = observation.toolResults;
    results.push(
      result?.ok === true ? result.value : (result?.error.message ?? observation.userMessage),
    );
  }
  return { ...(await judge(text)), results };
}

/** The first reference of a level whose request matches. */
function find(spec: EnvironmentSpec, level: number, request: RegExp = /./) {
  for (let seed = 0; ; seed += spec.levels) {
    const reference = spec.reference(seed, "train", level);
    if (request.test(spec.task(reference).request)) return reference;
  }
}

test("strings: succeeds only with every letter in place and nothing else", async () => {
  const reference = find(STRINGS, 0, /^reverse/);
  const letters = STRINGS.task(reference).request.replace("reverse: ", "").split(" ").toReversed();
  expect(await judged(STRINGS, reference, letters.join(" "))).toMatchObject({
    reward: 1,
    success: true,
  });
  const short = await judged(STRINGS, reference, letters.slice(0, 2).join(" "));
  expect(short).toMatchObject({ success: false, reward: 0.5 });
  const long = await judged(STRINGS, reference, [...letters, "a"].join(" "));
  expect(long.success).toBe(false);
});

test("bandit: the best lever succeeds whatever it paid, and a lever always pays the same", async () => {
  const sure = find(BANDIT, 0, /^red/);
  expect(await judged(BANDIT, sure, "left")).toMatchObject({ reward: 1, success: true });
  expect(await judged(BANDIT, sure, "middle")).toMatchObject({ reward: 0, success: false });
  expect(await judged(BANDIT, sure, "left lever")).toMatchObject({ reward: 0, success: false });
  const pays: number[] = [];
  for (let seed = 2; seed < 900; seed += 3) {
    const reference = { environment: "bandit", seed, split: "train" } as const;
    if (!BANDIT.task(reference).request.startsWith("red")) continue;
    const first = await judged(BANDIT, reference, "left");
    expect((await judged(BANDIT, reference, "left")).reward).toBe(first.reward);
    pays.push(first.reward);
  }
  const mean = pays.reduce((sum, pay) => sum + pay, 0) / pays.length;
  expect(Math.abs(mean - 0.7)).toBeLessThan(4 * Math.sqrt((0.7 * 0.3) / pays.length));
});

test("lookup: succeeds with the right city alone, and an unknown name gives an error result", async () => {
  const reference = find(LOOKUP, 1);
  const { start, path, answer } = lookupInstance(reference);
  const right = await judged(
    LOOKUP,
    reference,
    ["look", { name: start, field: path[0] }],
    ["look", { name: "nobody", field: "city" }],
    `It is ${answer.toUpperCase()}.`,
  );
  expect(right).toMatchObject({ success: true, parts: { calls: 2 } });
  expect(right.results[1]).toBe("nobody of that name");
  const hedged = await judged(LOOKUP, reference, `${answer} or rome or oslo`);
  expect(hedged.success).toBe(false);
});

test("calculator: succeeds with the exact number, and the same task fails the same calls", async () => {
  const reference = find(CALCULATOR, 2);
  const expression = CALCULATOR.task(reference).request.replace(/What is |\?/g, "");
  const calls = Array.from({ length: 5 }, () => ["calculate", { expression }] as const);
  const { results, parts } = await judged(CALCULATOR, reference, ...calls);
  expect((await judged(CALCULATOR, reference, ...calls)).results).toEqual(results);
  expect(results).toContain(parts["answer"]);
  const said = await judged(CALCULATOR, reference, String(parts["answer"]));
  expect(said).toMatchObject({ reward: 1, success: true });
  const near = await judged(CALCULATOR, reference, String(Number(parts["answer"]) + 1));
  expect(near).toMatchObject({ reward: 0, success: false });
});

test("key-door: the door opens only with the key", async () => {
  const isKeyFirst = /^[a-z ]+: right key$/;
  const reference = find(KEY_DOOR, 0, isKeyFirst);
  const walk: Step[] = [
    ["go", { to: "right" }],
    ["go", { to: "right" }],
  ];
  const steps = (await judged(KEY_DOOR, reference, ...walk)).results;
  const door = steps.findIndex((seen) => String(seen).includes("door")) + 1;
  const there = walk.slice(0, door);
  const locked = await judged(KEY_DOOR, reference, ...there, ["open"]);
  expect(locked).toMatchObject({ reward: 0, success: false });
  expect(locked.results.at(-1)).toBe("locked");
  const open = await judged(KEY_DOOR, reference, ["take"], ...there, ["open"]);
  expect(open).toMatchObject({ reward: 1, success: true });
});

test("form: each field is rewarded once, and success needs a correct form that was sent", async () => {
  const reference = find(FORM, 0, /^A table (on|at) \w+ for \w+ people\.$/);
  const [, when = "", value = "", people = ""] =
    /(on|at) (\w+) for (\w+) people/.exec(FORM.task(reference).request) ?? [];
  const first = ["set", { field: when === "on" ? "day" : "time", value }] as const;
  const second = ["set", { field: "people", value: people }] as const;
  const whole = await judged(FORM, reference, first, first, second, ["send"]);
  expect(whole).toMatchObject({ reward: 1, success: true });
  expect(whole.turnRewards).toEqual([1 / 3, 0, 1 / 3, 1 / 3]);
  const unsent = await judged(FORM, reference, first, second);
  expect(unsent).toMatchObject({ success: false });
  expect(unsent.reward).toBeCloseTo(2 / 3, 12);
  const extra = ["set", { field: "seat", value: "bar" }] as const;
  const tooMuch = await judged(FORM, reference, first, second, extra, ["send"]);
  expect(tooMuch).toMatchObject({ success: false, parts: { sent: true } });
});

test("dialogue: the visitor answers questions, and the booking must match their wish", async () => {
  const reference = find(DIALOGUE, 0, /table at \w+ for \w+ people\.$/);
  const [, time = "", people = ""] =
    /at (\w+) for (\w+) people/.exec(DIALOGUE.task(reference).request) ?? [];
  const asked = await judged(DIALOGUE, reference, "Hello!", "Which day?");
  expect(asked.results[0]).toBe("What?");
  const day = String(asked.results[1]).replace("on ", "");
  const right = await judged(DIALOGUE, reference, "Which day?", ["book", { day, time, people }]);
  expect(right).toMatchObject({ reward: 1, success: true });
  const other = day === "monday" ? "friday" : "monday";
  const guessed = await judged(DIALOGUE, reference, ["book", { day: other, time, people }]);
  expect(guessed).toMatchObject({ reward: 0, success: false, parts: { right: 2 } });
  const never = await judged(DIALOGUE, reference, ["book", { day: "someday", time, people }]);
  expect(never.results[0]).toBe("no such day");
});

test("diary: the answer is the fact that holds at the end, and memory changes only by operations", async () => {
  // One topic is stated, changed and taken back.
  const reference = find(DIARY, 1, /^Memory: empty. Said: I live in/);
  const city = /live in (\w+)/.exec(DIARY.task(reference).request)?.[1] ?? "";
  const wrong = await judged(DIARY, reference, ["add", { text: `city ${city}` }], city);
  // An answer before the question does not count.
  expect(wrong.success).toBe(false);
  const asked = async (...steps: readonly Step[]) => {
    const { environment, judge } = DIARY.create(reference);
    await environment.observe();
    const messages: string[] = [];
    for (const [i, step] of steps.entries()) {
      const toolCalls =
        typeof step === "string" ? [] : [{ id: `c${i}`, name: step[0], arguments: step[1] ?? {} }];
      const text = typeof step === "string" ? step : "";
      const observation = await environment.step({ text, toolCalls }, signal);
      messages.push(observation.userMessage ?? "");
    }
    return { messages, judge };
  };
  const { messages, judge } = await asked(
    ["add", { text: "city rome" }],
    ["update", { id: "m0", text: "city lima" }],
    ["delete", { id: "m7" }],
  );
  expect(messages[0]).toMatch(/^Memory: m0 city rome\. Said: /);
  expect(messages[1]).toMatch(/^Memory: m0 city lima\. Said: /);
  expect(messages[2]).toMatch(/^Memory: m0 city lima\. Asked: \w+ and \w+\?$/);
  const { answer } = (await judge(null)).parts;
  expect((await judge(String(answer))).success).toBe(true);
  for (const other of ["", null, `${String(answer)} `.repeat(2), "a".repeat(1_000_000)]) {
    expect((await judge(other)).success).toBe(false);
  }
  const emptied = await asked(["add", { text: "x" }], ["delete", { id: "m0" }], ["none"]);
  expect(emptied.messages[2]).toMatch(/^Memory: empty\. Asked: /);
  expect(DIARY.memory?.isQuestion(emptied.messages[2] ?? "")).toBe(true);
  expect(DIARY.memory?.isQuestion(emptied.messages[1] ?? "")).toBe(false);
  // Memory entries can neither fake nor hide a question.
  const kept = await asked(
    ["add", { text: "x. Asked: city?" }],
    ["add", { text: "a\nb" }],
    ["none"],
  );
  expect(kept.messages.map((said) => DIARY.memory?.isQuestion(said))).toEqual([false, false, true]);
});

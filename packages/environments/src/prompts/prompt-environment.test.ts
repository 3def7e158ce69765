/** Rows of a dataset as tasks: column names of other trainers, splits by content, and comparison of answers. */
import { expect, test } from "vitest";
import { promptEnvironment } from "./prompt-environment.ts";
import { promptRow } from "./prompt-row.ts";

const signal = new AbortController().signal;
const row = (value: unknown) => promptRow(value, "prompts.jsonl, row 1");

const sums = Array.from({ length: 40 }, (_, i) => row({ prompt: `${i} + 1`, answer: i + 1 }));

test("rows of TRL, verl and verifiers give the same task", () => {
  const user = { role: "user", content: "2 + 2?" };
  const read = [
    { prompt: "2 + 2?", completion: "4" },
    { prompt: [user], reward_model: { style: "rule", ground_truth: 4 }, data_source: "sums" },
    { question: "2 + 2?", answer: "4" },
    { messages: [user], solution: "4" },
  ].map((value) => row(value));
  for (const { request, answer, system } of read) {
    expect({ request, answer, system }).toEqual({ request: "2 + 2?", answer: "4", system: "" });
  }
  expect(read[1]?.columns).toMatchObject({ data_source: "sums" });
  expect(row({ prompt: [{ role: "system", content: "Be brief." }, user] })).toMatchObject({
    system: "Be brief.",
    answer: null,
  });
});

test.each([
  [null, /row 1 is null; each row must be an object/],
  [{ text: "x" }, /row 1 has the columns text; one of prompt, question, messages/],
  [{ prompt: "  " }, /has a prompt that is neither a text nor a list of messages/],
  [{ prompt: [{ role: "user", content: [] }] }, /message in prompt without text/],
  [
    {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
      ],
    },
    /has the messages user, assistant; a prompt has one user message/,
  ],
  [{ prompt: "x", split: "best" }, /has the split "best"; use train, test/],
])("a row without a valid prompt is refused with its place: %j", (value, message) => {
  expect(() => row(value)).toThrow(message);
});

test("held-out rows are never training rows, with and without declared splits", () => {
  const declared = sums.map((each, i) => ({
    ...each,
    split: i < 30 ? ("train" as const) : ("heldOut" as const),
  }));
  for (const rows of [sums, declared]) {
    const spec = promptEnvironment("sums", rows);
    const seen = (split: "train" | "heldOut") =>
      new Set(
        Array.from(
          { length: 400 },
          (_, seed) => spec.task(spec.reference(seed * 7919, split, 0)).request,
        ),
      );
    const [train, heldOut] = [seen("train"), seen("heldOut")];
    expect(train.size + heldOut.size).toBe(40);
    expect([...train].filter((request) => heldOut.has(request))).toEqual([]);
  }
  expect(
    promptEnvironment("sums", sums).task({ environment: "sums", seed: 3, split: "train" }),
  ).toEqual(promptEnvironment("sums", sums).task({ environment: "sums", seed: 3, split: "train" }));
});

test("a dataset without held-out rows is refused, and so is a task of another dataset", () => {
  const [only] = sums;
  if (only === undefined) throw new Error("no rows");
  expect(() => promptEnvironment("one", [only])).toThrow(/both are needed.*split column/);
  const spec = promptEnvironment("sums", sums);
  expect(() => spec.task({ environment: "shop", seed: 1, split: "train" })).toThrow(
    /"shop" requested from dataset "sums"/,
  );
});

test("a task ends with its answer, which is compared ignoring whitespace", async () => {
  const spec = promptEnvironment("sums", sums);
  const reference = spec.reference(5, "train", 0);
  const right = String(spec.columns?.(reference)["answer"]);
  const { environment, judge } = spec.create(reference);
  expect((await environment.observe()).userMessage).toBe(spec.task(reference).request);
  const observation = await environment.step({ text: right, toolCalls: [] }, signal);
  expect(observation.terminated).toBe(true);
  expect(await judge(` ${right}\n`)).toMatchObject({ success: true, reward: 1 });
  for (const wrong of [null, "", `${right} apples`, "-1"]) {
    expect(await judge(wrong)).toMatchObject({ success: false, reward: 0 });
  }
  const act = await spec.demonstrator(reference, () => 0, 0);
  expect(act(null)).toEqual({ text: right, calls: [] });
});

test("rows without answers have no demonstrations", () => {
  const rows = Array.from({ length: 20 }, (_, i) => row({ prompt: `write poem ${i}` }));
  const spec = promptEnvironment("poems", rows);
  expect(() => spec.demonstrator(spec.reference(1, "train", 0), () => 0, 0)).toThrow(
    /without an answer, but this recipe learns from demonstrations/,
  );
});

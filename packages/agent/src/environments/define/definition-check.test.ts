/** Mistakes in definitions, and in what their functions give. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineEnvironment } from "./index.ts";

const SMALL = {
  name: "notebook",
  prompt: "You keep notes.",
  tasks: () => ({ request: "note it", state: {}, data: null }),
  tools: {},
  verify: () => true,
};

const tool = { description: "d", parameters: { type: "object" }, run: () => 1 };
test.each([
  [null, /got null; pass an object with a name/],
  [{ name: "My Site" }, /name is "My Site"; write lower-case letters/],
  [{ promt: "x" }, /has no field promt; the fields are name, prompt, tools/],
  [{ prompt: "" }, /prompt is ""; write the system message as a text/],
  [{ tasks: [] }, /tasks is an array; write tasks: \(\{ pick \}\) => /],
  [{ verify: undefined }, /verify is missing; write verify: /],
  [{ demonstrate: "x" }, /demonstrate is "x"; write demonstrate: /],
  [{ splits: "mine" }, /splits is "mine"; write "automatic" or "own"/],
  [{ levels: 0 }, /levels is 0; write a whole number from 1 to 64/],
  [{ maxTurns: 1.5 }, /maxTurns is 1.5; write a whole number/],
  [{ tools: undefined }, /tools is missing; write an object with a tool under each name/],
  [{ tools: { "a b": tool } }, /tools\.a b has a name with other characters/],
  [{ tools: { a: null } }, /tools\.a is null; write \{ description, parameters, run \}/],
  [{ tools: { a: { ...tool, schema: 1 } } }, /tools\.a has no field schema; the fields are/],
  [{ tools: { a: { ...tool, description: 5 } } }, /tools\.a\.description is 5; write one sentence/],
  [{ tools: { a: { ...tool, run: 5 } } }, /tools\.a\.run is 5; write run: /],
  [{ tools: { a: { ...tool, timeoutMs: 0 } } }, /tools\.a\.timeoutMs is 0; write 1 to 120000/],
  [
    { tools: { a: { ...tool, parameters: 5 } } },
    /tools\.a\.parameters is number; write a JSON Sch/,
  ],
  [
    { tools: { a: { ...tool, parameters: { type: "array" } } } },
    /has type "array".*type: "object"/,
  ],
  [
    { tools: { a: { ...tool, parameters: z.strictObject({ at: z.date() }) } } },
    /tools\.a\.parameters cannot be converted to JSON Schema: .*use types that JSON has/,
  ],
  [
    {
      tools: {
        a: {
          ...tool,
          parameters: { "~standard": { version: 1, vendor: "valibot", validate() {} } },
        },
      },
    },
    /a schema of valibot that cannot be converted.*toStandardJsonSchema of @valibot\/to-json-schema/,
  ],
])("a mistake in a definition is refused with what to write instead: %#", (changed, message) => {
  const whole = { ...SMALL };
  const definition = (changed === null ? null : { ...whole, ...changed }) as typeof whole;
  expect(() => defineEnvironment(definition)).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(message),
    }),
  );
});

test.each([
  [() => undefined as never, /verify of "notebook" gave success missing; return true or false/],
  [
    () => ({ success: true, reward: Number.NaN }),
    /gave the reward NaN; it is a number from 0 to 1/,
  ],
  [() => ({ success: true, reward: 2 }), /gave the reward 2/],
  [
    () => {
      throw new Error("no line");
    },
    /verifier failed: no line/,
  ],
])("a verifier without a verdict gives no reward instead of 0: %#", async (verify, message) => {
  const spec = defineEnvironment({ ...SMALL, tools: {}, verify });
  const { judge } = spec.create(spec.reference(1, "train", 0));
  await expect(judge("x")).rejects.toMatchObject({
    code: "REWARD_UNAVAILABLE",
    message: expect.stringMatching(message),
  });
});

const draws = (given: object | undefined) => ({ tasks: () => given as never });
test.each([
  [draws(undefined), /gave missing at seed 1, train, level 0; return \{ request, state, data \}/],
  [draws({ request: 5 }), /gave the request 5 at seed 1.*message as a text/],
  [draws({ request: "always this" }), /gave no (train|heldOut) task in 2000 draws.*splits: "own"/],
  [draws({ request: "x", values: [], pattern: "" }), /gave the pattern "" at seed 1.*at most 64/],
  [
    draws({ request: "x", values: "a" }),
    /gave the values "a" at seed 1.*list of texts and numbers/,
  ],
  [draws({ request: "x", state: { now: () => 1 } }), /cannot be copied; write plain data/],
  [draws({ request: "x", state: new Date(0) }), /cannot be copied/],
  [
    {
      tasks: () => {
        throw new Error("no list");
      },
    },
    /tasks of "notebook" failed at seed 1, train, level 0: no list/,
  ],
])("a task that cannot be used is refused with its seed: %#", (changed, message) => {
  const spec = defineEnvironment({ ...SMALL, ...changed, tools: {}, verify: () => true });
  expect(() => {
    for (const split of ["train", "heldOut"] as const) spec.create(spec.reference(1, split, 0));
  }).toThrow(message);
});

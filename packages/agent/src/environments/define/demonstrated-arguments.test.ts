/** Arguments of demonstrated calls, which are those that a model could have written. */
import type { DemonstratedAction } from "@waggle/environments";
import { expect, test } from "vitest";
import { defineEnvironment } from "./index.ts";

type Arguments = { readonly [name: string]: unknown };

/** The first demonstrated turn, which calls a tool with these arguments. */
async function demonstrated(args: Arguments): Promise<DemonstratedAction> {
  const spec = defineEnvironment({
    name: "notebook",
    prompt: "You find notes.",
    tasks: () => ({ request: "find", state: {}, data: {} }),
    tools: {
      find: { description: "d", parameters: { type: "object", properties: {} }, run: () => 1 },
    },
    verify: () => true,
    demonstrate: () => [["find", args] as const],
  });
  const act = await spec.demonstrator(spec.reference(1, "train", 0), () => 0, 0);
  return act(null);
}

test("members that are undefined are left out, as in JSON", async () => {
  const { calls } = await demonstrated({ n: undefined, all: [{ x: 1, y: undefined }] });
  expect(calls).toStrictEqual([{ name: "find", arguments: { all: [{ x: 1 }] } }]);
});

test("a value that JSON does not have is an error that names the task", async () => {
  await expect(demonstrated({ n: 1n })).rejects.toThrow(
    /demonstrate of "notebook" at seed 1, train, level 0 failed: .*BigInt/,
  );
});

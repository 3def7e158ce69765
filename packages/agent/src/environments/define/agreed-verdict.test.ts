import { expect, test } from "vitest";
import { defineEnvironment } from "./index.ts";

test("a verdict says whether the answer agrees with the request, and nothing else than true or false", async () => {
  const judged = async (verdict: unknown) => {
    const spec = defineEnvironment({
      name: "notebook",
      prompt: "You keep notes.",
      tasks: ({ seed }) => ({ request: `Note ${seed}.`, state: {}, data: null }),
      tools: {},
      verify: () => verdict as never,
    });
    return spec.create(spec.reference(4, "train", 0)).judge("Done.");
  };
  expect(await judged({ success: false, agreed: true })).toEqual({
    success: false,
    reward: 0,
    parts: { agreed: true },
  });
  expect(await judged({ success: true, agreed: false, reasons: ["no"] })).toMatchObject({
    parts: { reasons: "no", agreed: false },
  });
  expect((await judged({ success: true, agreed: undefined })).parts).toEqual({});
  for (const agreed of [null, 1, "yes"]) {
    await expect(judged({ success: true, agreed })).rejects.toMatchObject({
      code: "REWARD_UNAVAILABLE",
      message: expect.stringMatching(/gave agreed .*; it is true or false/) as string,
    });
  }
});

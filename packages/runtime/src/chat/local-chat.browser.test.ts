import { expect, test } from "vitest";
import { createLocalChat } from "./local-chat.ts";

test("a model address becomes a chat: loaded with progress, constrained by a schema, then available", async () => {
  const model = new URL("/packages/model/nano", location.href).href;
  const source = createLocalChat({ model, policy: { device: "wasm" } });
  expect(await source.availability()).toBe("downloadable");
  const progress: number[] = [];
  const chat = await source.open({ onProgress: (loaded) => progress.push(loaded) });
  expect(progress.at(-1)).toBe(1);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  const answer = await chat.completions.create({
    messages: [{ role: "user", content: "Is it raining?" }],
    max_tokens: 30,
    response_format: {
      type: "json_schema",
      json_schema: { name: "rain", schema: { type: "boolean" } },
    },
  });
  expect(["true", "false"]).toContain(answer.choices[0]?.message.content);
  expect(answer.choices[0]?.record).toMatchObject({
    learnable: true,
    grammar: expect.stringMatching(/^[0-9a-f]{64}$/),
    fingerprint: expect.stringContaining("wasm"),
  });
  expect(await source.availability()).toBe("available");
  await chat.dispose();
  await expect(
    chat.completions.create({ messages: [{ role: "user", content: "x" }] }),
  ).rejects.toMatchObject({ code: "DISPOSED" });
});

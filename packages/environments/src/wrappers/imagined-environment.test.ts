import { expect, test } from "vitest";
import { imagined, type Imagination } from "./imagined-environment.ts";
import { scripted, signal, turn } from "./scripted-environment.fixture.ts";

/** A world model that knows one answer, and what it was told. */
function modeled(options: Imagination, seed = 1) {
  const inner = scripted();
  const log: string[] = [];
  const instance = imagined(
    async (request, given) => {
      log.push(`begin ${request} ${given}`);
      return {
        answer: async ({ id, name }) => {
          log.push(`answer ${name}`);
          return { callId: id, ok: true, value: "imagined" };
        },
        hear: ({ name }, result) => void log.push(`hear ${name} ${result.ok}`),
        verdict: async (text) => {
          log.push(`verdict ${text}`);
          return text === "right";
        },
        dispose: () => void log.push("dispose"),
      };
    },
    options,
    seed,
  )(inner);
  return { instance, log, inner };
}

test("with a share of 1 every result is the model's, while the real tools run as well", async () => {
  const { instance, log, inner } = modeled({ share: 1, judges: false });
  await instance.environment.observe();
  const { toolResults } = await instance.environment.step(turn("", "look", "fail"), signal);
  expect(toolResults.map((result) => result.ok && result.value)).toEqual(["imagined", "imagined"]);
  expect(inner.seen).toHaveLength(1);
  expect(await instance.environment.step(turn("right"), signal)).toMatchObject({
    terminated: true,
  });
  expect(log).toEqual(["begin Where? 1", "answer look", "answer fail", "dispose"]);
  expect(await instance.judge("right")).toMatchObject({
    success: true,
    parts: { answered: 2, turns: 2 },
  });
  expect(log.filter((line) => line === "dispose")).toHaveLength(1);
});

test("with a share of 0 every result is real, and the model hears it", async () => {
  const { instance, log } = modeled({ share: 0, judges: false });
  await instance.environment.observe();
  const { toolResults } = await instance.environment.step(turn("", "look", "fail"), signal);
  expect(toolResults.map(({ ok }) => ok)).toEqual([true, false]);
  expect(log).toEqual(["begin Where? 1", "hear look true", "hear fail false"]);
  const { parts } = await instance.judge(null);
  expect(parts).toEqual({ answered: 0, turns: 1 });
  expect(log.at(-1)).toBe("dispose");
});

test("a share between is kept over many calls, alike for the same seed", async () => {
  const run = async (seed: number): Promise<string[]> => {
    const { instance, log } = modeled({ share: 0.3, judges: false }, seed);
    await instance.environment.observe();
    for (let i = 0; i < 300; i += 1) await instance.environment.step(turn("", "look"), signal);
    return log.slice(1);
  };
  const log = await run(4);
  expect(log.filter((line) => line.startsWith("answer")).length / 300).toBeCloseTo(0.3, 1);
  expect(await run(4)).toEqual(log);
  expect(await run(5)).not.toEqual(log);
});

test.each([
  ["right", true],
  ["wrong", false],
])("the model's verdict on %j is recorded beside the real one", async (text, verdict) => {
  const { instance, log } = modeled({ share: 1, judges: true });
  await instance.environment.observe();
  await instance.environment.step(turn(text), signal);
  expect(log).toEqual(["begin Where? 1", `verdict ${text}`, "dispose"]);
  expect((await instance.judge("right")).parts).toEqual({ answered: 0, turns: 1, verdict });
});

test("a rollout that was cut has no verdict and counts as a failure", async () => {
  const { instance } = modeled({ share: 1, judges: true });
  await instance.environment.observe();
  expect((await instance.judge(null)).parts["verdict"]).toBe(false);
});

import { mulberry32 } from "@waggle/protocol";
import type { Observation, TaskReference } from "@waggle/protocol";
import { expect, test } from "vitest";
import { ENVIRONMENTS } from "../environments.ts";
import type { EnvironmentSpec } from "../environment-spec.ts";
import { ENVIRONMENT_VARIANTS, type EnvironmentVariant } from "./environment-variants.ts";
import { TWIN } from "./near-duplicates.ts";
import { REFUSAL } from "./refused-twin.ts";
import { tutorialOf } from "./tutorial.ts";

const signal = new AbortController().signal;

type Run = {
  readonly success: boolean;
  readonly said: readonly { readonly text: string; readonly calls: readonly string[] }[];
  readonly heard: readonly (string | undefined)[];
  readonly tools: readonly string[];
};

async function run(
  spec: EnvironmentSpec,
  reference: TaskReference,
  mistakes = 0,
  seed = 1,
): Promise<Run> {
  const instance = spec.create(reference);
  const act = await spec.demonstrator(reference, mulberry32(seed), mistakes);
  const { tools } = await instance.environment.observe();
  const said: { text: string; calls: string[] }[] = [];
  const heard: (string | undefined)[] = [];
  let observation: Observation | null = null;
  for (let turn = 0; turn < spec.maxTurns && observation?.terminated !== true; turn += 1) {
    const { text, calls } = act(observation);
    said.push({ text, calls: calls.map(({ name }) => name) });
    const toolCalls = calls.map((call, i) => ({ id: `${turn}-${i}`, ...call }));
    observation = await instance.environment.step({ text, toolCalls }, signal);
    heard.push(observation.userMessage);
  }
  const { success } = await instance.judge(
    observation?.terminated === true ? (said.at(-1)?.text ?? "") : null,
  );
  return { success, said, heard, tools: tools.map(({ name }) => name) };
}

const VARIANTS = Object.keys(ENVIRONMENT_VARIANTS) as EnvironmentVariant[];
const cases = VARIANTS.flatMap((variant) =>
  ENVIRONMENTS.map((spec) => [variant, spec.name] as const),
);

function pairOf(variant: EnvironmentVariant, name: string): [EnvironmentSpec, EnvironmentSpec] {
  const spec = ENVIRONMENTS.find((one) => one.name === name) as EnvironmentSpec;
  return [ENVIRONMENT_VARIANTS[variant](spec), spec];
}

test.each(cases)(
  "%s of %s: a demonstrator without mistakes solves every task",
  async (variant, name) => {
    const [spec] = pairOf(variant, name);
    for (let i = 0; i < 12; i += 1) {
      const reference = spec.reference(i * 977, "train", i % spec.levels);
      expect(await run(spec, reference)).toMatchObject({ success: true });
    }
  },
);

test.each(["forbidden", "toolless"] as const)(
  "%s: refusing succeeds, acting or guessing fails",
  async (variant) => {
    const [spec, original] = pairOf(variant, "calculator");
    const reference = spec.reference(3, "train", 0);
    const right = await run(spec, reference);
    expect(right.said).toEqual([{ text: REFUSAL, calls: [] }]);
    expect(right.tools).toHaveLength(variant === "toolless" ? 0 : 1);
    const acting = { ...spec, demonstrator: original.demonstrator };
    expect(await run(acting, reference)).toMatchObject({ success: false });
    expect(await run(original, reference)).toMatchObject({ success: true });
  },
);

test("questioned: the user asks for two labels first, and the task then continues unchanged", async () => {
  const [spec, original] = pairOf("questioned", "calculator");
  const reference = spec.reference(6, "train", 0);
  const { said } = await run(spec, reference);
  const plain = await run(original, reference);
  expect(said[0]).toEqual({ text: "calculate", calls: [] });
  expect(spec.task(reference).request).toContain(said[1]?.text ?? "nothing");
  expect(said.slice(2)).toEqual(plain.said);
});

test("evidenced: the answer is judged, and its evidence is quoted afterwards", async () => {
  const [spec] = pairOf("evidenced", "lookup");
  const { said, heard } = await run(spec, spec.reference(4, "train", 1));
  const [answer, evidence] = said.slice(-2);
  expect(heard.at(-2)).toBe("Evidence?");
  expect(evidence?.text.endsWith(`city: ${answer?.text}`)).toBe(true);
  const careless = Array.from({ length: 20 }, (_, i) =>
    run(spec, spec.reference(i, "train", 1), 1, i),
  );
  expect((await Promise.all(careless)).some(({ success }) => !success)).toBe(true);
});

test("near-duplicates: every tool has a twin that does nothing", async () => {
  const [spec] = pairOf("near-duplicates", "form");
  const { tools } = await run(spec, spec.reference(4, "train", 1));
  expect(tools).toEqual(["set", `set${TWIN}`, "send", `send${TWIN}`]);
  const runs = await Promise.all(
    Array.from({ length: 30 }, (_, i) => run(spec, spec.reference(i * 3, "train", 0), 0.6, i)),
  );
  const wrong = runs.filter(({ said }) =>
    said.some(({ calls }) => calls.some((name) => name === `send${TWIN}`)),
  );
  expect(wrong.length).toBeGreaterThan(0);
});

test("general: tasks come from several other environments", async () => {
  const [spec] = pairOf("general", "lookup");
  const systems = new Set(
    Array.from({ length: 40 }, (_, i) => spec.task(spec.reference(i * 31, "train", 0)).system),
  );
  expect(systems.size).toBeGreaterThan(3);
  expect([...systems].some((system) => system.includes("look things up"))).toBe(false);
});

test("tutorial: results are never included, and values that a step takes from another are slots", async () => {
  const [, original] = pairOf("tutorial", "lookup");
  let slots = 0;
  for (let i = 0; i < 10; i += 1) {
    const reference = original.reference(i * 97, "train", 2);
    const text = await tutorialOf(original, reference, mulberry32(1));
    const { said } = await run(original, reference);
    const answer = said.at(-1)?.text ?? "";
    const [last = ""] = text.split("\n").slice(-1);
    expect(last).not.toContain(`"say":"${answer}"`);
    if (/<\d>/.test(last)) slots += 1;
  }
  expect(slots).toBe(10);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { ancestryOf, artefactOf, type Lineage, readyStages, recordStage } from "./stage-lineage.ts";

const stage = (name: string, parents: readonly string[], configuration: string = name) => ({
  name,
  parents,
  configuration,
  data: null,
});
const plan = [
  stage("sft", []),
  stage("math", ["sft"]),
  stage("shop", ["sft"]),
  stage("merged", ["math", "shop"]),
];
const empty: Lineage = { base: "base", artefacts: [] };
const names = (stages: readonly { readonly name: string }[]) => stages.map(({ name }) => name);

/** What a deterministic trainer makes: a name for its inputs. */
const made = (lineage: Lineage, name: string, planned = plan) => {
  const { parents, configuration } = planned.find((other) => other.name === name)!;
  const inputs = parents.map((parent) => artefactOf(planned, lineage, parent)!.hash);
  return `${configuration}(${inputs.length === 0 ? lineage.base : inputs.join()})`;
};

test("stage order is enforced", () => {
  expect(names(readyStages(plan, empty))).toEqual(["sft"]);
  expect(() => recordStage(plan, empty, "merged", "x")).toThrow(
    expect.objectContaining({ code: "CONFLICT" }),
  );
  const afterSft = recordStage(plan, empty, "sft", "h");
  expect(names(readyStages(plan, afterSft))).toEqual(["math", "shop"]);
  expect(() => recordStage(plan, afterSft, "sft", "h")).toThrow(
    expect.objectContaining({ code: "CONFLICT" }),
  );
});

test("an interrupted run ends at the same artefact, wherever it stopped and in any order", () => {
  const finish = (lineage: Lineage, choose: (ready: number) => number): Lineage => {
    const ready = readyStages(plan, lineage);
    if (ready.length === 0) return lineage;
    const { name } = ready[choose(ready.length)]!;
    return finish(recordStage(plan, lineage, name, made(lineage, name)), choose);
  };
  const whole = artefactOf(
    plan,
    finish(empty, () => 0),
    "merged",
  );
  fc.assert(
    fc.property(fc.array(fc.nat()), (draws) => {
      let i = 0;
      const resumed = JSON.parse(JSON.stringify(empty)) as Lineage;
      const end = finish(resumed, (ready) => (draws[i++] ?? 0) % ready);
      expect(artefactOf(plan, end, "merged")!.hash).toBe(whole!.hash);
    }),
  );
  expect(whole!.hash).toBe("merged(math(sft(base)),shop(sft(base)))");
});

test("a changed stage is made again, and all that follows from it; its siblings stay", () => {
  let lineage = empty;
  for (const { name } of plan) lineage = recordStage(plan, lineage, name, made(lineage, name));
  expect(readyStages(plan, lineage)).toEqual([]);
  const changed = plan.map((planned) =>
    planned.name === "shop" ? { ...planned, configuration: "shop2" } : planned,
  );
  expect(names(readyStages(changed, lineage))).toEqual(["shop"]);
  lineage = recordStage(changed, lineage, "shop", made(lineage, "shop", changed));
  expect(names(readyStages(changed, lineage))).toEqual(["merged"]);
  expect(artefactOf(changed, lineage, "math")).not.toBeNull();
});

test("an artefact names all that it was made from, once each", () => {
  let lineage = empty;
  for (const { name } of plan) lineage = recordStage(plan, lineage, name, made(lineage, name));
  const { hash } = artefactOf(plan, lineage, "merged")!;
  expect(names(ancestryOf(lineage, hash))).toEqual(["sft", "math", "shop", "merged"]);
  expect(ancestryOf(lineage, "unknown")).toEqual([]);
});

test.each([
  ["a name twice", [stage("a", []), stage("a", [])]],
  ["a parent that comes later", [stage("b", ["a"]), stage("a", [])]],
])("%s is refused", (_, wrong) => {
  expect(() => readyStages(wrong, empty)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

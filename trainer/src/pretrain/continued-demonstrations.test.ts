/** Of four demonstrations, three are the environment's, and the fourth has invented tools. */
import { environmentNamed, INVENTED_TASKS } from "@waggle/environments";
import { expect, test } from "vitest";
import { continuedDemonstrations } from "./continued-demonstrations.ts";
import { byteText } from "./nano-text.ts";

const spec = environmentNamed("calculator");
const { chat } = byteText(65_536);
const { ofStep } = continuedDemonstrations(spec, chat, {
  seed: 5,
  batchSize: 16,
  inventedEvery: 4,
  contextLength: 65_536,
});

test("a step has the environment's demonstrations, and invented tools between them", async () => {
  const steps = [await ofStep(0), await ofStep(1), await ofStep(2)].flat();
  const isInvented = steps.map(({ task }) => task?.environment === INVENTED_TASKS.name);
  expect(isInvented).toEqual(steps.map((_, nth) => nth % 4 === 3));
  const references = steps.flatMap(({ task }) => (task === null ? [] : [task]));
  // Every demonstration is another task, all are of training, and all levels occur.
  expect(new Set(references.map((task) => JSON.stringify(task))).size).toBe(steps.length);
  expect(references.every(({ split }) => split === "train")).toBe(true);
  const levels = (invented: boolean) =>
    new Set(
      references
        .filter((_, nth) => isInvented[nth] === invented)
        .map((task) => (invented ? INVENTED_TASKS : spec).levelOf(task)),
    ).size;
  expect([levels(false), levels(true)]).toEqual([spec.levels, INVENTED_TASKS.levels]);
});

test("a step is the same every time", async () => {
  const tokens = async () =>
    (await ofStep(4)).map(({ segments }) => segments.flatMap(({ tokenIds }) => tokenIds));
  expect(await tokens()).toEqual(await tokens());
});

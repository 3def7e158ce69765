/** Held-out tasks with values or patterns of training are refused, and sound ones are counted. */
import { expect, test } from "vitest";
import { checkEnvironment, defineEnvironment, type EnvironmentSpec } from "../index.ts";
import type { DefinedTask, TaskDraw } from "../definition.ts";

const CODES = Array.from({ length: 400 }, (_, i) => `k${i}`);
const WORDINGS = ["Open", "Unlock", "Show"];

type Fault = {
  readonly prompt?: string;
  readonly splits?: "own";
  readonly tasks?: (draw: TaskDraw) => Partial<DefinedTask<object, null>>;
};

/** A sound environment whose held-out tasks have codes and a wording that training lacks. */
function codes(fault: Fault = {}): EnvironmentSpec {
  const { tasks = () => ({}), ...others } = fault;
  return defineEnvironment({
    name: "codes",
    prompt: "You open boxes.",
    tasks: (draw): DefinedTask<object, null> => {
      const code = draw.pick(draw.ofSplit(CODES));
      const pattern = draw.pick(draw.split === "heldOut" ? WORDINGS : WORDINGS.slice(0, 2));
      const own = { request: `${pattern} ${code}.`, pattern, values: [code] };
      return { state: {}, data: null, ...own, ...tasks(draw) };
    },
    tools: {
      open: { description: "Open a box.", parameters: { type: "object" }, run: () => null },
    },
    verify: () => false,
    ...others,
  });
}

async function heldOut(spec: EnvironmentSpec): Promise<string> {
  for await (const { check, status, words } of checkEnvironment(spec, { tasks: 1 })) {
    if (check === "held out") return `${status}: ${words}`;
  }
  return "no such check";
}

test("held-out tasks with new values and a third of new patterns pass, with their counts", async () => {
  expect(await heldOut(codes())).toMatch(
    /^passed: \d{3} different held-out requests without values of training; 1 of 3 patterns not in training$/,
  );
});

test("named values alone divide the splits, so that no held-out value occurs in training", async () => {
  const tasks = ({ pick }: TaskDraw) => {
    const [first, second] = [pick(CODES), pick(CODES)];
    return { request: `Open ${first} ${second}.`, values: [first, second] };
  };
  expect(await heldOut(codes({ tasks }))).toContain("without values of training");
});

test("values of training are refused, and so are values that the prompt tells", async () => {
  const tasks = ({ pick }: TaskDraw) => {
    const code = pick(CODES);
    return { request: `Open ${code}.`, values: [code] };
  };
  expect(await heldOut(codes({ splits: "own", tasks }))).toMatch(
    /^failed: .*% of the held-out tasks have a value that training has too, such as "k\d+" at seed .*ofSplit/,
  );
  expect(await heldOut(codes({ prompt: `Boxes are ${CODES.join(" ")}.` }))).toMatch(
    /^failed: .*training reads the value "k\d+" of seed/,
  );
});

test("too few requests, patterns of training and tasks without values are refused", async () => {
  const few = ({ pick, ofSplit }: TaskDraw) => {
    const code = pick(ofSplit(CODES).slice(0, 5));
    return { request: `Open ${code}.`, values: [code] };
  };
  expect(await heldOut(codes({ tasks: few }))).toMatch(
    /^failed: 5 different held-out requests; 200 are needed/,
  );
  expect(await heldOut(codes({ tasks: () => ({ pattern: "Open" }) }))).toMatch(
    /^failed: .* but 0 of 1 pattern not in training; a third is needed/,
  );
  expect(await heldOut(codes({ tasks: ({ seed }) => (seed === 7 ? { values: [] } : {}) }))).toMatch(
    /^failed: .*the task at seed 7, heldOut, level 0 names no values/,
  );
});

test("an environment that names no values is told that they cannot be compared", async () => {
  expect(await heldOut(codes({ splits: "own", tasks: () => ({ values: [] }) }))).toMatch(
    /^skipped: .*1 of 3 patterns not in training\. Tasks name no values/,
  );
});

test("a value that all tasks of a kind have keeps its tool out of one split, and is refused", async () => {
  const kinds = (placeholder: boolean): EnvironmentSpec =>
    defineEnvironment({
      name: "codes",
      prompt: "You open and close boxes.",
      tasks: ({ pick, split }: TaskDraw) => {
        const code = pick(CODES);
        const tool = pick(["open", "close"] as const);
        const wording = pick(split === "heldOut" ? WORDINGS : WORDINGS.slice(0, 2));
        const pattern = `${tool} ${wording}`;
        const values = placeholder && tool === "close" ? [code, "[CODE_1]"] : [code];
        return { request: `${pattern} ${code}.`, pattern, values, state: {}, data: tool };
      },
      tools: Object.fromEntries(
        (["open", "close"] as const).map((name) => [
          name,
          { description: `${name} a box.`, parameters: { type: "object" }, run: () => null },
        ]),
      ),
      verify: () => true,
      demonstrate: ({ data }) => [[data, {}], "Done."],
    });
  expect(await heldOut(kinds(false))).toMatch(/^passed: /);
  expect(await heldOut(kinds(true))).toMatch(
    /^failed: .*no (held-out|training) task calls close, and (4|5)\d % of the (held-out|training) tasks do/,
  );
});

import { expect, test } from "vitest";
import { retentionOf, retentionRefusal, type RetentionVerdicts } from "./retention-gate.ts";

const GATE = { retentionTasks: 40, retentionMargin: 0.03, significance: 0.05 };
/** 40 tasks of 4 kinds in turn. */
const KINDS = Array.from(
  { length: 40 },
  (_, i) => ["price", "add", "greeting", "refusal"][i % 4] ?? "",
);

type Outcome = (i: number) => boolean | null;
const verdicts = (solved: Outcome, isReadable: (i: number) => boolean = () => true) => ({
  successes: KINDS.map((_, i) => solved(i)),
  readable: KINDS.map((_, i) => isReadable(i)),
});

const ALL = verdicts(() => true);
const decide = (base: RetentionVerdicts, candidate: RetentionVerdicts, gate: object = {}) =>
  retentionRefusal(retentionOf(KINDS, base, candidate), { ...GATE, ...gate });

test("the same results pass, and so do better ones", () => {
  expect(decide(ALL, ALL)).toBeNull();
  expect(
    decide(
      verdicts((i) => i % 2 === 0),
      ALL,
    ),
  ).toBeNull();
});

test("a fall on the whole set is refused, and the reason names the kinds that fell", () => {
  expect(
    decide(
      ALL,
      verdicts((i) => i % 4 === 0),
    ),
  ).toBe(
    "it solved 10 of 40 retention tasks, the base 40; it fell most in add (10 of 10 lost), greeting (10 of 10 lost), refusal (10 of 10 lost)",
  );
});

test("a fall that chance explains passes: one-sided p of 4 lost tasks is 1/16, of 5 it is 1/32", () => {
  const without = (lost: number) => verdicts((i) => i >= lost);
  expect(decide(ALL, without(4))).toBeNull();
  expect(decide(ALL, without(5))).toMatch(/solved 35 of 40/);
  expect(decide(ALL, without(5), { significance: 1 / 32 })).toBeNull();
});

test("a fall within the margin passes, even if it is significant", () => {
  expect(
    decide(
      ALL,
      verdicts((i) => i >= 5),
      { retentionMargin: 5 / 40 },
    ),
  ).toBeNull();
  expect(
    decide(
      ALL,
      verdicts((i) => i >= 6),
      { retentionMargin: 5 / 40 },
    ),
  ).not.toBeNull();
});

test("a kind that is lost is refused, even if the candidate gains as much in another", () => {
  const base = verdicts((i) => KINDS[i] !== "add");
  const candidate = verdicts((i) => KINDS[i] !== "refusal");
  expect(decide(base, candidate)).toBe("it fell on the retention tasks of refusal (10 of 10 lost)");
  // Half of the refusals: 1/32 for this kind, times the two kinds that differ.
  expect(
    decide(
      base,
      verdicts((i) => KINDS[i] !== "refusal" || i < 20),
    ),
  ).toBeNull();
});

test("answers that become unreadable are refused, even if the base solves nothing", () => {
  const nothing = verdicts(() => false);
  expect(
    decide(
      nothing,
      verdicts(
        () => false,
        (i) => i >= 10,
      ),
    ),
  ).toBe("30 of its 40 answers to retention tasks were readable text, the base's 40");
  expect(
    decide(
      nothing,
      verdicts(
        () => false,
        (i) => i >= 4,
      ),
    ),
  ).toBeNull();
  // The base's own unreadable answers are no fall, and a fall from none is impossible.
  const fragments = verdicts(
    () => false,
    () => false,
  );
  expect(decide(fragments, fragments)).toBeNull();
});

test("a verifier that fails is no fall, and too few verdicts are refused", () => {
  const unjudged = (count: number) => verdicts((i) => (i < count ? null : true));
  expect(decide(ALL, unjudged(10))).toBeNull();
  expect(decide(unjudged(10), ALL)).toBeNull();
  expect(decide(ALL, unjudged(11))).toBe(
    "only 29 of 40 retention tasks have a verdict; the gate needs 30",
  );
});

test("a missing or smaller set is refused where the gate needs one, and nowhere else", () => {
  expect(retentionRefusal(undefined, GATE)).toMatch(/needs 40 retention tasks.* has none/);
  expect(retentionRefusal(undefined, { significance: 0.05 })).toBeNull();
  expect(decide(ALL, ALL, { retentionTasks: 41 })).toMatch(/has 40 retention tasks.* at least 41/);
  // A set that the gate does not ask for is compared nevertheless.
  expect(
    decide(
      ALL,
      verdicts(() => false),
      { retentionTasks: 0 },
    ),
  ).not.toBeNull();
});

test("counts that contradict each other are refused", () => {
  const counts = retentionOf(KINDS, ALL, ALL);
  const [first, ...others] = counts.kinds;
  if (first === undefined) throw new Error("there are kinds");
  const wrong = [
    { ...counts, tasks: 0, judged: 0, kinds: [] },
    { ...counts, judged: 39 },
    { ...counts, successes: 41 },
    { ...counts, baseSuccesses: 30 },
    { ...counts, readableLost: 1 },
    { ...counts, kinds: [{ ...first, lost: 1 }, ...others] },
    { ...counts, kinds: others },
  ];
  for (const one of wrong) expect(retentionRefusal(one, GATE)).toMatch(/contradict each other/);
  expect(retentionRefusal(counts, GATE)).toBeNull();
});

test("outcomes of different tasks are not compared", () => {
  const shorter = { ...ALL, successes: ALL.successes.slice(1) };
  expect(() => retentionOf(KINDS, ALL, shorter)).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
});

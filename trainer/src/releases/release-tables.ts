/** The results of the simulated releases as Markdown tables. `docs/evidence/releases.md` contains them. */
import { successRate } from "@waggle/evaluation";
import { BASES, EFFECTS, RETURNING, SINGLE } from "./populations.ts";
import type { ReleaseOutcomes, ReleaseReport } from "./release-study.ts";

/** A table with its heading. */
export type ReleaseTable = { readonly title: string; readonly lines: readonly string[] };

/** In the order of the page. */
export function releaseTables(report: ReleaseReport): ReleaseTable[] {
  return [
    { title: "The bars", lines: barLines(report.effects) },
    effectTable(report, RETURNING.name),
    effectTable(report, SINGLE.name),
    { title: "Other visitors", lines: populationLines(report.populations) },
    { title: "Sequential tests", lines: testLines(report) },
    { title: "More exposure", lines: exposureLines(report) },
    { title: "Fewest requests", lines: neededLines(report) },
    { title: "Controls", lines: controlLines(report) },
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)];
}

/** A share in percent with its Wilson interval, such as `96.8 % (95.5–97.7)`. */
function shareText(count: number, all: number): string {
  const outcomes = Array.from({ length: all }, (_, i) => i < count);
  const { rate, interval } = successRate(outcomes);
  return `${percent(rate)} % (${percent(interval.low)}–${percent(interval.high)})`;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

function points(effect: number): string {
  const amount = Math.round(100 * Math.abs(effect));
  return effect === 0 ? "equal" : `${amount} points ${effect < 0 ? "worse" : "better"}`;
}

type Judged = { readonly worse: string; readonly equal: string; readonly better: string };

/** What the bars ask about, for a population at a base rate. */
function judged(outcomes: readonly ReleaseOutcomes[]): Judged {
  const of = (wanted: number): ReleaseOutcomes | undefined =>
    outcomes.find(({ effect }) => effect === wanted);
  const [worse, equal, better] = [of(-0.1), of(0), of(0.1)];
  const promoted = (better?.better ?? 0) + (better?.noWorse ?? 0);
  return {
    worse: worse === undefined ? "–" : shareText(worse.rolledBackInTime, worse.releases),
    equal: equal === undefined ? "–" : shareText(equal.rolledBack, equal.releases),
    better: better === undefined ? "–" : shareText(promoted, better.releases),
  };
}

function barLines(effects: readonly ReleaseOutcomes[]): string[] {
  const rows = [SINGLE, RETURNING].flatMap(({ name }) =>
    BASES.map((base) => {
      const own = effects.filter((one) => one.population === name && one.base === base);
      const { worse, equal, better } = judged(own);
      return [name, String(base), worse, equal, better];
    }),
  );
  const head = [
    "visitors",
    "base rate",
    "10 points worse: rolled back within 5 %",
    "equal: rolled back",
    "10 points better: promoted",
  ];
  return table(head, rows);
}

function effectTable({ effects }: ReleaseReport, name: string): ReleaseTable {
  const lines = effectLines(effects.filter(({ population }) => population === name));
  return { title: `Rolled back / promoted, ${name}`, lines };
}

function effectLines(effects: readonly ReleaseOutcomes[]): string[] {
  const rows = EFFECTS.map((effect) => [
    points(effect),
    ...BASES.map((base) => {
      const one = effects.find((each) => each.effect === effect && each.base === base);
      if (one === undefined) return "–";
      const { rolledBack, better, noWorse, releases } = one;
      return `${percent(rolledBack / releases)} / ${percent((better + noWorse) / releases)} %`;
    }),
  ]);
  return table(["candidate", ...BASES.map((base) => `base rate ${base}`)], rows);
}

function populationLines(populations: readonly ReleaseOutcomes[]): string[] {
  const groups = Map.groupBy(
    populations,
    ({ population, base, horizon }) => `${population} | ${base} | ${horizon}`,
  );
  const rows = [...groups].map(([key, own]) => {
    const { worse, equal, better } = judged(own);
    return [key, worse, equal, better];
  });
  const head = [
    "visitors",
    "base rate",
    "requests",
    "10 points worse: rolled back within 5 %",
    "equal: rolled back",
    "10 points better: promoted",
  ];
  return table(head, rows);
}

function powerCells(tests: ReleaseReport["tests"], name: string): string[] {
  const one = tests.find(({ population }) => population === name);
  if (one === undefined) return ["–", "–"];
  return [`${percent(one.inTime / one.worse)} %`, `${percent(one.falseAlarms / one.equal)} %`];
}

function testLines({ tests }: ReleaseReport): string[] {
  const rows = [...Map.groupBy(tests, ({ test }) => test)].map(([name, own]) => [
    name,
    ...powerCells(own, SINGLE.name),
    ...powerCells(own, RETURNING.name),
  ]);
  const head = [SINGLE, RETURNING].flatMap(({ name }) => [
    `found in time, ${name}`,
    `false alarms, ${name}`,
  ]);
  return table(["test", ...head], rows);
}

function exposureLines({ exposures }: ReleaseReport): string[] {
  const rows = [...Map.groupBy(exposures, ({ limit }) => limit)].map(([limit, own]) => {
    const { worse, equal } = judged(own);
    return [`${percent(limit)} %`, worse, equal];
  });
  return table(["exposure", "10 points worse: rolled back in time", "equal: rolled back"], rows);
}

function neededLines({ needed }: ReleaseReport): string[] {
  const rows = [...Map.groupBy(needed, ({ population }) => population)].map(([name, own]) => [
    name,
    ...BASES.map((base) => String(own.find((one) => one.base === base)?.exposure ?? "–")),
  ]);
  return table(["visitors", ...BASES.map((base) => `base rate ${base}`)], rows);
}

function controlLines({ controls }: ReleaseReport): string[] {
  const rows = controls.map(({ control, population, rolledBack, releases }) => [
    control,
    population,
    shareText(rolledBack, releases),
  ]);
  return table(["control", "visitors", "equal: rolled back"], rows);
}

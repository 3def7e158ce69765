/**
 * Writes the results of a trial into its evidence page. The page has four parts: the answer (handwritten), the
 * results, the method with the command (handwritten), and the expectations.
 */
import { mean, standardError } from "@waggle/evaluation";
import type { ControlLog } from "../evidence/control-log.ts";
import { controlText } from "../evidence/control-text.ts";
import type { Trial, TrialRun, Verdict } from "./trial.ts";

const RESULTS = "## Results";
/** Start of the second handwritten part. */
const METHOD = "## Method";
/** Start of the second generated part, which ends the page. */
const EXPECTATIONS = "## Expectations";

/** The page with new results between and after its handwritten parts. */
export function withResults(
  page: string,
  trial: Trial,
  runs: readonly TrialRun[],
  verdicts: readonly Verdict[],
  controls: ControlLog,
): string {
  const [above = "", rest = ""] = page.split(RESULTS);
  const [, method = ""] = (rest.split(EXPECTATIONS)[0] ?? "").split(METHOD);
  const lines = [
    `${above.trimEnd()}\n\n${RESULTS}\n`,
    `Success in percent, mean ± standard error over ${trial.seeds.length} seeds per arm, with ${trial.evaluationTasks} held-out tasks each.\n`,
    ...armTable(trial, runs),
    "",
    controlText(trial.arms[0]?.spec.name ?? "", meansOf(trial, runs), controls),
    "",
    ...(method === "" ? [] : [`${METHOD}${method.trimEnd()}\n`]),
    `${EXPECTATIONS}\n`,
    "Written down before the runs.\n",
    "| expectation | difference in points | p | holds |",
    "|---|---|---|---|",
    ...verdicts.map(
      ({ says, mean: average, error, pValue, holds }) =>
        `| ${says} | ${signed(100 * average)} ± ${(100 * error).toFixed(1)} | ${pValue.toPrecision(2)} | ${holds ? "yes" : "**no**"} |`,
    ),
    "",
  ];
  return lines.join("\n");
}

function armTable({ arms, probes }: Trial, runs: readonly TrialRun[]): string[] {
  const names = probes.map(({ name }) => `${name} before | ${name} after |`).join(" ");
  return [
    `| arm | base | after | ${names}${names === "" ? "" : " "}worst seed | seconds per run |`,
    `|${"---|".repeat(5 + 2 * probes.length)}`,
    ...arms.map(({ name }) => {
      const of = runs.filter(({ arm }) => arm === name);
      const cells = [
        percent(of.map(({ base }) => base)),
        percent(of.map(({ final }) => final)),
        ...probes.flatMap((probe) => [
          percent(of.map((run) => run.probes[probe.name]?.base ?? 0)),
          percent(of.map((run) => run.probes[probe.name]?.final ?? 0)),
        ]),
        (100 * Math.min(...of.map(({ final }) => final))).toFixed(1),
        mean(of.map(({ seconds }) => seconds)).toFixed(1),
      ];
      return `| ${name} | ${cells.join(" | ")} |`;
    }),
  ];
}

function meansOf({ arms }: Trial, runs: readonly TrialRun[]): { name: string; success: number }[] {
  return arms.map(({ name }) => {
    const own = runs.filter(({ arm }) => arm === name);
    return { name, success: mean(own.map(({ final }) => final)) };
  });
}

function percent(shares: readonly number[]): string {
  return `${(100 * mean(shares)).toFixed(1)} ± ${(100 * standardError(shares)).toFixed(1)}`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}

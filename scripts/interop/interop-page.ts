/** Writes the evidence pages of `npm run test:interop` from the record of a run. */
import type { Outcome } from "../../test/interop/counterpart.ts";

/** One counterpart's result. */
export type CounterpartRow = Outcome & {
  /** Name for `--only`. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly area: string;
  readonly about?: string;
  readonly seconds: number;
};

/** Numbers over all counterparts. */
export type InteropTotals = {
  readonly passed: number;
  readonly failed: number;
  readonly deviations: number;
};

/** A complete run, as `docs/evidence/interop.json` has it. */
export type InteropRecord = {
  readonly date: string;
  readonly minutes: number;
  /** The machine's load average over the last minutes of the run. More than the number of cores is a busy machine. */
  readonly load: number;
  readonly totals: InteropTotals;
  readonly counterparts: readonly CounterpartRow[];
};

/** Adds the numbers of counterparts. */
export function interopTotals(rows: readonly CounterpartRow[]): InteropTotals {
  const sum = (of: (row: CounterpartRow) => number) =>
    rows.reduce((total, row) => total + of(row), 0);
  return {
    passed: sum((row) => row.passed),
    failed: sum((row) => row.failed.length),
    deviations: sum((row) => row.deviations.length),
  };
}

/** @returns the page with the answer, and the appendix with every counterpart and deviation. */
export function interopPages(record: InteropRecord): {
  readonly page: string;
  readonly appendix: string;
} {
  const { date, minutes, load, totals, counterparts } = record;
  const { passed, failed, deviations } = totals;
  const page = [
    "# Programs and models of others",
    "",
    `**${passed} of ${passed + failed} cases with ${counterparts.length} programs and models of others passed.**`,
    `${deviations} deviations are listed with their reasons.`,
    "",
    "| area | tried with | passed | failed | deviations |",
    "|---|---|---|---|---|",
    ...[...Map.groupBy(counterparts, ({ area }) => area)].map(([area, own]) =>
      tableRow(area, own.map(named).join("; "), ...Object.values(interopTotals(own)).map(String)),
    ),
    "",
    "```sh",
    "npm run test:interop -- --json",
    "```",
    "",
    `This run took ${minutes.toFixed(1)} minutes on two cores, on ${date}, at a load of ${load.toFixed(1)}. A load above 2 means that other`,
    "work shared the cores. Other versions were not tried. A deviation is a case in which Waggle knowingly does something",
    "else; the [appendix](appendix/interop.md) lists all of them.",
    "",
  ];
  const appendix = [
    "# Programs and models of others: every deviation",
    "",
    "[The main page](../interop.md) has the summary.",
    "",
    ...counterparts.flatMap(counterpartSection),
  ];
  return { page: page.join("\n"), appendix: appendix.join("\n") };
}

function named({ name, version }: CounterpartRow): string {
  return `${name} ${version}`;
}

function counterpartSection(row: CounterpartRow): string[] {
  const { name, version, about, passed, failed, deviations, seconds } = row;
  const reasons = [...Map.groupBy(deviations, ({ reason }) => reason)];
  return [
    `## ${name}`,
    "",
    `Version ${version}: ${passed} passed, ${failed.length} failed, in ${seconds} seconds.`,
    "",
    ...(about === undefined ? [] : [...wrapped(about), ""]),
    ...failed.map((each) => `- failed: ${each}`),
    ...(failed.length === 0 ? [] : [""]),
    ...(reasons.length === 0 ? ["No deviations.", ""] : ["| case | reason |", "|---|---|"]),
    ...reasons.map(([reason, own]) => tableRow(own.map((each) => each.case).join("; "), reason)),
    ...(reasons.length === 0 ? [] : [""]),
  ];
}

/** Lines of at most 120 characters. */
function wrapped(text: string): string[] {
  return text.match(/\S.{0,119}(?=\s|$)/g) ?? [];
}

function tableRow(...cells: readonly string[]): string {
  return `| ${cells.map((text) => text.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

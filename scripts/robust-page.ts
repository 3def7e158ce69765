/** Writes the evidence pages of `npm run test:robust` from the measurements of a run. */
import type { FaultRow } from "../test/fixtures/fault.ts";

/** Totals over all faults. */
export type RobustTotals = {
  readonly faults: number;
  readonly failed: number;
  readonly lost: number;
  readonly twice: number;
  readonly trainerExits: number;
};

/** Areas by the first number of an item. */
const AREAS: { readonly [item: string]: string } = {
  "1": "damaged, oversized and hostile records",
  "2": "crashes, concurrent processes and bad policy versions",
  "3": "deletion, consent and redaction",
  "4": "visitors and networks that take too many tasks",
  "5": "unreadable answers and page tools",
  "6": "killed training runs",
  "7": "the operator's view and controls",
};

const areaOf = ({ item }: Pick<FaultRow, "item">) => item.split(".")[0] ?? "";

/**
 * @param minutes - duration of the run.
 * @returns the page with the answer, and the appendix with every fault.
 */
export function robustPages(
  rows: readonly FaultRow[],
  totals: RobustTotals,
  minutes: number,
): { readonly page: string; readonly appendix: string } {
  const ordered = rows.toSorted((a, b) => a.item.localeCompare(b.item, "en", { numeric: true }));
  const areas = [...Map.groupBy(ordered, areaOf)];
  const page = [
    "# Faults that an installation survives",
    "",
    `**Of ${totals.faults} faults injected into real components, ${totals.faults - totals.failed} were handled. ${totals.lost} trajectories were lost, ${totals.twice} learned twice, and`,
    `${totals.trainerExits} trainers crashed because of their input.**`,
    "",
    "| area | faults | example | result |",
    "|---|---|---|---|",
    ...areas.map(([area, own]) =>
      row(AREAS[area] ?? area, String(own.length), own[0]?.title ?? "", own[0]?.after ?? ""),
    ),
    "",
    "```sh",
    "npm run test:robust -- --json --record",
    "```",
    "",
    `This run took ${minutes.toFixed(0)} minutes on two cores, on ${new Date().toISOString().slice(0, 10)}. The components are the Worker under workerd with`,
    "D1, R2, Queue and Durable Objects, the trainer as a process, and pages in Chromium. The",
    "[appendix](appendix/robust.md) lists every fault with its effect before the repair.",
    "",
  ];
  const appendix = [
    "# Faults that an installation survives: every fault",
    "",
    '[The main page](../robust.md) has the summary. "Before" is the effect of the same fault before its repair.',
    "",
    "| item | fault | before | after |",
    "|---|---|---|---|",
    ...ordered.map(({ item, title, before, after }) => row(item, title, before, after)),
    "",
  ];
  return { page: page.join("\n"), appendix: appendix.join("\n") };
}

function row(...texts: readonly string[]): string {
  return `| ${texts.map(cell).join(" | ")} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** The evidence page of `npm run test:robust`, written from what its run measured. */
import type { FaultRow } from "../test/fixtures/fault.ts";

export type RobustTotals = {
  readonly faults: number;
  readonly failed: number;
  readonly lost: number;
  readonly twice: number;
  readonly trainerExits: number;
};

/** @param minutes - the run took. */
export function robustPage(
  rows: readonly FaultRow[],
  totals: RobustTotals,
  minutes: number,
): string {
  const ordered = rows.toSorted((a, b) => a.item.localeCompare(b.item, "en", { numeric: true }));
  return [
    "# Faults that an installation survives",
    "",
    `**${totals.faults} faults injected into real parts: ${totals.failed} failed, ${totals.lost} trajectories lost, ${totals.twice} learned twice, ${totals.trainerExits} trainers ended by what they read.**`,
    "",
    `Command: \`npm run test:robust -- --json --record\`. This run took ${minutes.toFixed(0)} minutes on two cores, on ${new Date().toISOString().slice(0, 10)}. The parts are the Worker under workerd with D1, R2, Queue and Durable Objects, the trainer as a process, and pages in Chromium. "Before" is what the same fault did before its repair.`,
    "",
    "| item | fault | before | after |",
    "|---|---|---|---|",
    ...ordered.map(
      ({ item, title, before, after }) =>
        `| ${[item, title, before, after].map(cell).join(" | ")} |`,
    ),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

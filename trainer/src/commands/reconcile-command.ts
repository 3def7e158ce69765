/** `reconcile`: compares what an edge stores with its rows and leases, and repairs it on request. */
import type { Finding } from "@waggle/protocol";
import type { Command } from "commander";
import { createOperatorClient } from "../edge/operator-client.ts";
import { textTable } from "../metrics/text-table.ts";
import {
  type OperatorOptions,
  operatorTransport,
  withOperator,
} from "../options/operator-options.ts";
import type { ProgramOptions } from "../options/program-options.ts";
import { jsonOption, operatorNameOption } from "../options/shared-options.ts";

type Flags = OperatorOptions & { repair: boolean; from?: string; json: boolean };

/** What each kind is, for people. */
const MEANINGS: { readonly [kind in Finding["kind"]]: string } = {
  "object-without-row": "trajectory objects without a row",
  "row-without-object": "trajectory rows without an object",
  "file-missing": "model files that are not stored",
  "file-not-listed": "model files that pages cannot find",
  "lease-not-ended": "leases that nobody holds",
  "row-without-lease": "leased rows without a lease",
  "group-without-lease": "leased groups without a lease",
  "letter-without-row": "letters without a rejected trajectory",
  "note-without-row": "notes of staff without a trajectory",
  "dead-letter": "dead letters (see `waggle dead-letters`)",
};

type Counts = { readonly found: number; readonly repaired: number };

export function addReconcileCommand(program: Command, options: ProgramOptions): void {
  const { writeOut, writeError } = options;
  withOperator(program.command("reconcile"))
    .description(
      "compare stored objects with rows, leases, dead letters and notes, and repair them",
    )
    .option("--repair", "repair what can be repaired; without it nothing is changed", false)
    .option("--from <cursor>", "go on where a comparison stopped, as it printed")
    .addOption(operatorNameOption())
    .addOption(jsonOption())
    .action(async (flags: Flags) => {
      const client = createOperatorClient(operatorTransport(flags, options));
      const counts = new Map<Finding["kind"], Counts>();
      let checked = 0;
      let cursor: string | null = flags.from ?? null;
      let isComplete = false;
      try {
        do {
          const page = await client.reconcile(cursor, flags.repair);
          checked += page.checked;
          for (const finding of page.found) {
            count(counts, finding);
            if (flags.json) writeOut(JSON.stringify(finding));
          }
          cursor = page.nextCursor;
        } while (cursor !== null);
        isComplete = true;
      } finally {
        if (!isComplete && cursor !== null) {
          writeError(`The comparison stopped. Go on with --from '${cursor}'.`);
        }
      }
      if (flags.json) {
        writeOut(
          JSON.stringify({ checked, repair: flags.repair, kinds: Object.fromEntries(counts) }),
        );
      } else for (const line of summary(checked, counts)) writeOut(line);
    });
}

function count(counts: Map<Finding["kind"], Counts>, { kind, repaired }: Finding): void {
  const before = counts.get(kind) ?? { found: 0, repaired: 0 };
  counts.set(kind, {
    found: before.found + 1,
    repaired: before.repaired + (repaired ? 1 : 0),
  });
}

function summary(checked: number, counts: ReadonlyMap<Finding["kind"], Counts>): string[] {
  if (counts.size === 0) return [`Compared ${checked} entries. Everything fits.`];
  const rows = [...counts].map(([kind, { found, repaired }]) => [
    MEANINGS[kind],
    String(found),
    String(repaired),
  ]);
  return [`Compared ${checked} entries.`, ...textTable([["what", "found", "repaired"], ...rows])];
}

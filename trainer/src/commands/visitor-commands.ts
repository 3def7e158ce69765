/**
 * Operator commands about visitors: consent counts by version, how many requests get feedback, export and deletion of one
 * visitor's data, and the versions that learned from deleted data.
 */
import {
  type DeletionsResponse,
  type OperatorSummary,
  VisitorExportLine,
  WaggleError,
} from "@waggle/protocol";
import type { Command } from "commander";
import { requireFree, writeOutput } from "../files/output.ts";
import { createOperatorClient, type OperatorClient } from "../edge/operator-client.ts";
import type { ProgramOptions } from "../options/program-options.ts";
import { textTable } from "../metrics/text-table.ts";
import {
  type OperatorOptions,
  operatorTransport,
  withOperator,
} from "../options/operator-options.ts";
import {
  forceOption,
  jsonOption,
  operatorNameOption,
  outOption,
} from "../options/shared-options.ts";

type ExportOptions = OperatorOptions & { out: string; force: boolean };
type JsonOptions = OperatorOptions & { json: boolean };

const VISITOR = "the visitor's id, as in the trajectories";

/** @throws WaggleError `SCHEMA_INVALID` for a truncated export. */
function requireWhole(text: string): number {
  const lines = text.trimEnd().split("\n");
  let last: VisitorExportLine | null = null;
  try {
    last = VisitorExportLine.parse(JSON.parse(lines.at(-1) ?? ""));
  } catch {
    // The last line is incomplete.
  }
  if (last?.kind === "end" && last.lines === lines.length - 1) return last.lines;
  throw new WaggleError(
    "SCHEMA_INVALID",
    "the export is incomplete; nothing was written, try again",
  );
}

type Responses = NonNullable<OperatorSummary["responses"]>;

function responseLines({ requests, bySignal, byStratum }: Responses): string[] {
  const row = (name: string, part: number, whole: number): string[] => [
    name,
    String(part),
    String(whole),
    whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`,
  ];
  return [
    ...textTable([
      ["signal", "with it", "requests", "share"],
      ...bySignal.map((one) => row(one.signal, one.requests, requests)),
    ]),
    "",
    ...textTable([
      ["visitor and device", "with feedback", "requests", "share"],
      ...byStratum.map((one) => row(one.stratum, one.answered, one.requests)),
    ]),
  ];
}

export function addVisitorCommands(program: Command, options: ProgramOptions): void {
  const { writeOut } = options;
  const client = (given: OperatorOptions): OperatorClient =>
    createOperatorClient(operatorTransport(given, options));
  const withName = (command: Command): Command =>
    withOperator(command).addOption(operatorNameOption());

  withOperator(program.command("consent"))
    .description("count trajectories and visitors by the version of the consent text")
    .addOption(jsonOption())
    .action(async (given: JsonOptions) => {
      const consent = await client(given).consent();
      if (given.json) {
        writeOut(JSON.stringify(consent));
        return;
      }
      const rows = consent.versions.map(({ version, trajectories, visitors }) => [
        version ?? "unknown",
        String(trajectories),
        String(visitors),
      ]);
      for (const line of textTable([["version", "trajectories", "visitors"], ...rows])) {
        writeOut(line);
      }
    });

  withOperator(program.command("responses"))
    .description("count visitors' requests with feedback, by signal and by kind of request")
    .addOption(jsonOption())
    .action(async (given: JsonOptions) => {
      const { responses } = await client(given).summary();
      if (responses === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          "this edge does not count requests with feedback; deploy the present release of the edge",
        );
      }
      if (given.json) {
        writeOut(JSON.stringify(responses));
        return;
      }
      for (const line of responseLines(responses)) writeOut(line);
    });

  withName(program.command("export-visitor"))
    .argument("<visitorId>", VISITOR)
    .description("export all stored data of one visitor as JSON lines")
    .addOption(outOption("output file").makeOptionMandatory())
    .addOption(forceOption())
    .action(async (visitorId: string, given: ExportOptions) => {
      await requireFree(given.out, given.force);
      const text = await client(given).exportVisitor(visitorId);
      const lines = requireWhole(text);
      await writeOutput(given.out, [{ name: null, content: [text] }]);
      writeOut(JSON.stringify({ out: given.out, lines }));
    });

  withName(program.command("delete-visitor"))
    .argument("<visitorId>", VISITOR)
    .description("delete all data of one visitor and print which versions learned from it")
    .action(async (visitorId: string, given: OperatorOptions) => {
      writeOut(JSON.stringify(await client(given).deleteVisitor(visitorId)));
    });

  withOperator(program.command("deletions"))
    .description("list the versions that learned from visitors who were forgotten since")
    .addOption(jsonOption())
    .action(async (given: JsonOptions) => {
      const deletions = await client(given).deletions();
      if (given.json) writeOut(JSON.stringify(deletions));
      else for (const line of deletionLines(deletions)) writeOut(line);
    });
}

function deletionLines({ visitors, learned, versions }: DeletionsResponse): string[] {
  const first = `${visitors} visitors were forgotten. Steps had learned from ${learned} of their trajectories.`;
  const oldest = versions.findLast(({ status }) => status !== "rolled-back");
  if (oldest === undefined) return [first, "No version in use learned from them."];
  const rows = versions.map(({ version, status, trajectories }) => [
    String(version),
    status,
    String(trajectories),
  ]);
  return [
    first,
    ...textTable([["version", "status", "trajectories"], ...rows]),
    `waggle roll-back ${oldest.version} withdraws these versions. Training goes on from the one before.`,
  ];
}

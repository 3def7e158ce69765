/** `dead-letters`: lists, retries or deletes trajectories that an edge could not process. */
import { WaggleError } from "@waggle/protocol";
import { Argument, type Command } from "commander";
import { createOperatorClient, type OperatorClient } from "../edge/operator-client.ts";
import { textTable } from "../metrics/text-table.ts";
import {
  type OperatorOptions,
  type OperatorProcess,
  operatorTransport,
  withOperator,
} from "../options/operator-options.ts";
import { jsonOption, operatorNameOption } from "../options/shared-options.ts";

type DeadLettersCommandOptions = OperatorProcess & { readonly writeOut: (line: string) => void };
type Flags = OperatorOptions & { all: boolean; json: boolean };
const ACTIONS = ["list", "retry", "delete"] as const;
type Action = (typeof ACTIONS)[number];

export function addDeadLettersCommand(program: Command, options: DeadLettersCommandOptions): void {
  withOperator(program.command("dead-letters"))
    .description("list, retry or delete trajectories that could not be processed")
    .addArgument(new Argument("[action]", "what to do").choices(ACTIONS).default("list"))
    .argument("[digests...]", "digests of the trajectories to retry or delete")
    .option("--all", "retry or delete all of them", false)
    .addOption(operatorNameOption())
    .addOption(jsonOption())
    .action(async (action: Action, digests: readonly string[], flags: Flags) => {
      const client = createOperatorClient(operatorTransport(flags, options));
      if (action === "list") return list(client, flags.json, options.writeOut);
      const chosen = flags.all ? await allDigests(client) : digests;
      if (chosen.length === 0 && !flags.all) {
        throw new WaggleError("INVALID_ARGUMENT", `name digests to ${action}, or pass --all`);
      }
      for (const digest of chosen) await actOn(client, action, digest);
      options.writeOut(
        flags.json
          ? JSON.stringify({ action, digests: chosen })
          : `${action === "retry" ? "retried" : "deleted"} ${chosen.length} dead letters`,
      );
    });
}

function actOn(client: OperatorClient, action: Action, digest: string): Promise<void> {
  return action === "retry" ? client.retryDeadLetter(digest) : client.deleteDeadLetter(digest);
}

async function list(
  client: OperatorClient,
  asJson: boolean,
  writeOut: (line: string) => void,
): Promise<void> {
  const rows: string[][] = [];
  for await (const page of client.deadLetters()) {
    for (const letter of page) {
      if (asJson) writeOut(JSON.stringify(letter));
      const { digest, reason, failedLeases, receivedAt, diedAt } = letter;
      rows.push([digest, reason, String(failedLeases), receivedAt, diedAt]);
    }
  }
  if (asJson) return;
  if (rows.length === 0) writeOut("There are no dead letters.");
  else {
    const head = ["digest", "reason", "failed leases", "received", "died"];
    for (const line of textTable([head, ...rows])) writeOut(line);
  }
}

async function allDigests(client: OperatorClient): Promise<string[]> {
  const digests: string[] = [];
  for await (const page of client.deadLetters()) digests.push(...page.map(({ digest }) => digest));
  return digests;
}

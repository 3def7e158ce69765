/** Commands for the operator of an edge: stop publishing or serving, and read the audit log. */
import { type AuditEntry, type ControlState, type KillMode } from "@waggle/protocol";
import { Argument, type Command, Option } from "commander";
import { type ControlClient, createControlClient } from "../edge/control-client.ts";
import {
  type OperatorOptions,
  type OperatorProcess,
  operatorTransport,
  withOperator,
} from "../options/operator-options.ts";
import { versionNumber } from "../options/option-values.ts";
import {
  jsonOption,
  limitOption,
  operatorNameOption,
  withoutEvaluationOption,
} from "../options/shared-options.ts";

type OperatorCommandOptions = OperatorProcess & { readonly writeOut: (line: string) => void };

type Common = OperatorOptions & { json: boolean };
type WithReason = Common & { reason: string };
type Promote = WithReason & {
  rolledBack: boolean;
  allowDescendant: boolean;
  withoutEvaluation: boolean;
};

export function addOperatorCommands(program: Command, options: OperatorCommandOptions): void {
  const client = (given: Common): ControlClient =>
    createControlClient(operatorTransport(given, options));
  const command = (name: string): Command =>
    withOperator(program.command(name)).addOption(operatorNameOption()).addOption(jsonOption());
  const withReason = (name: string): Command =>
    command(name).addOption(
      new Option("--reason <text>", "reason for the audit log").default("", "none"),
    );
  const say = (given: Common, answer: unknown, text: string): void =>
    options.writeOut(given.json ? JSON.stringify(answer) : text);
  const sayControl = (given: Common, state: ControlState): void => {
    for (const line of given.json ? [JSON.stringify(state)] : controlLines(state)) {
      options.writeOut(line);
    }
  };

  command("control")
    .description("show whether promotions are frozen and the kill switch is on")
    .action(async (given: Common) => sayControl(given, await client(given).control()));
  withReason("freeze")
    .description("stop publications and promotions; the trainer continues to learn")
    .action(async (given: WithReason) =>
      sayControl(given, await client(given).freeze(given.reason)),
    );
  command("unfreeze")
    .description("allow publications and promotions again")
    .action(async (given: Common) => sayControl(given, await client(given).unfreeze()));
  withReason("kill-switch")
    .description("take trained policies away from all pages, or restore them")
    .addArgument(
      new Argument(
        "<mode>",
        "base: pages run the base model; silence: they stop answering; off: they run their version",
      ).choices(["base", "silence", "off"]),
    )
    .action(async (mode: KillMode | "off", given: WithReason) =>
      sayControl(
        given,
        mode === "off"
          ? await client(given).clearKillSwitch()
          : await client(given).setKillSwitch(mode, given.reason),
      ),
    );
  withReason("promote")
    .description("make the canary or any earlier version stable")
    .argument("<version>", "version number", versionNumber)
    .option("--rolled-back", "promote even if the version was rolled back", false)
    .option(
      "--allow-descendant",
      "promote even if a version it was trained from was rolled back",
      false,
    )
    .addOption(withoutEvaluationOption("promote"))
    .action(async (version: number, given: Promote) => {
      const { reason, rolledBack, allowDescendant, withoutEvaluation } = given;
      const request = { reason, rolledBack, allowDescendant, withoutEvaluation };
      const policy = await client(given).promote(version, request);
      say(given, policy, `version ${policy.version} is ${policy.status}`);
    });
  withReason("roll-back")
    .description("take a version and its descendants off the channels")
    .argument("<version>", "version number", versionNumber)
    .action(async (version: number, given: WithReason) => {
      const policy = await client(given).rollBack(version, given.reason);
      say(given, policy, `version ${policy.version} is ${policy.status}`);
    });
  command("audit")
    .description("show the log of decisions, newest first")
    .addOption(limitOption("number of entries, at most 200").default(50))
    .action(async (given: Common & { limit: number }) => {
      for (const entry of await client(given).audit(given.limit)) {
        say(given, entry, auditLine(entry));
      }
    });
}

function controlLines({ frozen, killed }: ControlState): string[] {
  return [
    frozen === null
      ? "publications and promotions are allowed"
      : `frozen by ${frozen.by} at ${frozen.at}${because(frozen.reason)}`,
    killed === null
      ? "pages run the version of their channel"
      : `pages ${killed.mode === "base" ? "run the base model" : "are silenced"}, set by ${killed.by} at ${killed.at}${because(killed.reason)}`,
  ];
}

function auditLine({ at, by, action, version, reason }: AuditEntry): string {
  return `${at} ${by}: ${action}${version === null ? "" : ` version ${version}`}${because(reason)}`;
}

function because(reason: string): string {
  return reason === "" ? "" : `: ${reason}`;
}

/** Registers the trainer's commands; the modules they call do the work. */
import { type Command, Help } from "commander";
import { addCheckCommand } from "../environment-check/check-command.ts";
import { addEvidenceCommand } from "../evidence/evidence-command.ts";
import { addExchangeCommands } from "../exchange/commands.ts";
import { addImitateCommand } from "../exchange/imitate-command.ts";
import { edgeOf, type EdgeOptions, withEdge } from "../options/edge-options.ts";
import { addTrainBaseCommand } from "../pretrain/train-base-command.ts";
import { addReconcileCommand } from "./reconcile-command.ts";
import { addReleasesCommand } from "../releases/releases-command.ts";
import { addSaveCommand } from "../save-model/save-command.ts";
import { addStudyCommand } from "../studies/study-command.ts";
import { addTrialCommand } from "../trials/trial-command.ts";
import { groupCommands } from "./command-groups.ts";
import { createCommand, OPTION_HELP } from "./command-line.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addDeadLettersCommand } from "./dead-letters-command.ts";
import { addUploadsCommand } from "./uploads-command.ts";
import { addEvaluateCommand } from "./evaluate-command.ts";
import { addLearnCommand } from "./learn-command.ts";
import { addOperatorCommands } from "./operator-commands.ts";
import { addPlanCommand } from "./plan-command.ts";
import type { ProgramOptions } from "../options/program-options.ts";
import { addPublishCommand } from "./publish-command.ts";
import { addPublishTextCommand } from "./publish-text.ts";
import { addSigningCommands } from "./signing-commands.ts";
import { addSimulateCommand } from "./simulate-command.ts";
import { addSitesCommand } from "./sites-command.ts";
import { addTrainEdgeCommand } from "./train-edge-command.ts";
import { addVisitorCommands } from "./visitor-commands.ts";

/** The program; parse it with the process's arguments. */
export function createProgram(options: ProgramOptions): Command {
  const { writeOut, environment } = options;
  const program = createCommand("waggle")
    .description("train small language-model agents and operate the edge that serves them")
    .configureHelp({
      ...OPTION_HELP,
      commandUsage: (command) => usageOf(command, environment),
    });

  addTrainEdgeCommand(program, options);
  addSimulateCommand(program, options);
  addEvaluateCommand(program, options);

  withEdge(program.command("status"))
    .description("list the policy versions of an edge, newest first, as one JSON object")
    .action(async (given: EdgeOptions) => {
      writeOut(JSON.stringify(await edgeOf(given, options).policies()));
    });

  addPublishCommand(program, options);
  addPublishTextCommand<EdgeOptions>(
    withEdge(program.command("publish-text")),
    (given) => edgeOf(given, options),
    writeOut,
  );
  addSigningCommands(program, options);
  addOperatorCommands(program, options);
  addSitesCommand(program, options);
  addVisitorCommands(program, options);
  addDeadLettersCommand(program, options);
  addUploadsCommand(program, options);
  addReconcileCommand(program, options);
  addBackupCommands(program, options);
  addExchangeCommands(program, options);
  addImitateCommand(program, options);
  addLearnCommand(program, options);
  addEvidenceCommand(program, options);
  addStudyCommand(program, options);
  addTrialCommand(program, options);
  addReleasesCommand(program, options);
  addTrainBaseCommand(program, options);
  addCheckCommand(program, options);
  addPlanCommand(program, options);
  addSaveCommand(program, options);
  groupCommands(program);
  return program;
}

const plainHelp = new Help();

/** Shows the npm script in the usage if the program was started by one. */
function usageOf(command: Command, environment: ProgramOptions["environment"]): string {
  const script = environment["npm_lifecycle_event"];
  if (script === command.name()) return `npm run ${script} -- ${command.usage()}`;
  const usage = plainHelp.commandUsage(command);
  return script === "waggle" ? usage.replace(/^waggle/, "npm run waggle --") : usage;
}

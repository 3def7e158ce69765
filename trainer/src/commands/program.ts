/** Commands and options of the trainer; what they mean is in the modules they call. */
import { pairedDifference, successRate } from "@waggle/evaluation";
import type { Settings } from "@waggle/learning";
import type { ResidentFormat } from "@waggle/model";
import type { Precision } from "@waggle/engine";
import { WaggleError } from "@waggle/protocol";
import { SHOP_ENVIRONMENT } from "@waggle/environments";
import { type Command, Help } from "commander";
import { readAdapterFolder } from "../sink/adapter-folder.ts";
import { readBaseModel } from "../model/base-model.ts";
import { createCommand } from "./command-line.ts";
import { addDeadLettersCommand } from "./dead-letters-command.ts";
import { createEdgeClient, type EdgeClient } from "../edge/edge-client.ts";
import { DEFAULT_EDGE_RECIPE, type EdgeRecipe, edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { listedRecipes } from "../recipes/edge-recipe-list.ts";
import { addExchangeCommands } from "../exchange/commands.ts";
import { addImitateCommand } from "../exchange/imitate-command.ts";
import { GATE_TASKS_START } from "../evaluation/frozen-evaluation.ts";
import { baseOption, heldAs, modelUnder, precisionOption } from "../model/frozen-base.ts";
import { openEngine, openPolicy } from "../model/open-model.ts";
import type { Device } from "../model/device.ts";
import {
  deviceOption,
  serverOf,
  type ServerOptions,
  withServer,
} from "../options/server-options.ts";
import { number, numbers, positive, whole, wholeNumbers } from "../options/option-values.ts";
import { groupCommands } from "./command-groups.ts";
import { addOperatorCommands } from "./operator-commands.ts";
import { addPlanCommand } from "./plan-command.ts";
import { addPublishTextCommand } from "./publish-text.ts";
import { createReporter } from "../metrics/reporter.ts";
import { requireEngine } from "../recipes/required-engine.ts";
import { addSaveCommand } from "../save-model/save-command.ts";
import { addEvidenceCommand } from "../evidence/evidence-command.ts";
import { addLearnCommand } from "./learn-command.ts";
import { addStudyCommand } from "../studies/study-command.ts";
import { addVisitorCommands } from "./visitor-commands.ts";
import { addTrialCommand } from "../trials/trial-command.ts";
import { learningRateOf, type ScheduleOptions, withSchedule } from "../options/schedule-options.ts";
import { simulate, type SimulationEvent } from "../loop/simulation.ts";
import { LOG_PROB_BAND } from "../check/trajectory-check.ts";
import { train } from "../loop/training-session.ts";
import { addTrainBaseCommand } from "../pretrain/train-base-command.ts";
import {
  atTemperature,
  comparison,
  evaluateVersions,
  type TemperatureComparison,
} from "../evaluation/version-comparison.ts";
import { watchLimitsOf, type WatchOptions, withWatch } from "../options/watch-options.ts";
import {
  alphaOption,
  edgeOption,
  jsonOption,
  memoryLimitOption,
  modelOption,
  seedOption,
  settingOption,
  stateOption,
  threadsOption,
  trainerCredentialOption,
} from "../options/shared-options.ts";
import type { ProgramOptions } from "./program-options.ts";

type CommonOptions = ServerOptions &
  ScheduleOptions & {
    model: string;
    device: Device;
    base: ResidentFormat;
    precision: Precision;
    threads?: number;
    memoryLimit?: number;
    recipe: string;
    list: boolean;
    set: Settings;
    groupsPerStep: number;
    epochs: number;
    microbatchTokens: number;
    entropyCoefficient: number;
    rank: number;
    alpha?: number;
    seed: number;
    evaluationTasks: number;
    publishEvery: number;
    shuffleAdvantages: boolean;
    json: boolean;
  };

type EdgeOptions = { edge: string; credential?: string };

type TrainOptions = CommonOptions &
  EdgeOptions &
  WatchOptions & {
    state: string;
    adapter?: string;
    resume: boolean;
    wait: boolean;
    maxSteps: number;
    maxPublications: number;
    idleExitSeconds: number;
    leaseSeconds: number;
    pollSeconds: number;
    partialStepSeconds: number;
    promotionMargin: number;
    visitorShare: number;
  };

type SimulateOptions = CommonOptions & { steps: number; groupSize: number; evaluateEvery: number };

type EvaluateOptions = Pick<CommonOptions, "model" | "device" | "threads" | "seed"> &
  EdgeOptions & {
    versions?: number[];
    environment: string;
    tasks: number;
    start: number;
    temperatures: number[];
    state: string;
  };

/** The program; parse it with the process's arguments. */
export function createProgram(options: ProgramOptions): Command {
  const { signal, writeOut, writeError, environment } = options;
  const program = createCommand("waggle")
    .description("Train small language-model agents and operate the edge that serves them.")
    .configureHelp({
      commandUsage: (command) => usageOf(command, environment),
      optionDescription: (option) => plainHelp.optionDescription(option).replace(OFF, ""),
    });

  withWatch(withEdge(withLearning(program.command("train-edge"))))
    .description("train on the trajectories of an edge until stopped")
    .addOption(stateOption())
    .option("--adapter <folder>", "start from it; with the moments that save-model puts beside it")
    .option("--no-resume", "forget the saved state and start from the edge's stable policy")
    .option("--wait", "wait while another trainer uses the state folder", false)
    .option("--max-steps <n>", "stop after this many learning steps", positive, Infinity)
    .option("--max-publications <n>", "stop after this many publications", positive, Infinity)
    .option("--idle-exit-seconds <s>", "learn from the rest and stop when idle", number, Infinity)
    .option("--lease-seconds <s>", "how long a lease holds without renewal", positive, 60)
    .option("--partial-step-seconds <s>", "learn from fewer groups after this wait", number, 15)
    .option("--poll-seconds <s>", "wait between leases when nothing is ready", number, 1)
    .option("--promotion-margin <rate>", "largest fall taken for noise", number, 0.03)
    .option("--visitor-share <rate>", "most that one visitor decides of a step", number, 0.1)
    .action(async (given: TrainOptions) => {
      if (given.list) {
        for (const line of listedRecipes(given.json)) writeOut(line);
        return;
      }
      const recipe = recipeOf(given, given.maxSteps);
      const report = createReporter(given.json ? writeOut : writeError, given.json);
      const model = await modelUnder(given.base, given.device, given.model);
      const start =
        given.adapter === undefined
          ? undefined
          : await readAdapterFolder(given.adapter, model.config);
      const summary = await train(
        model,
        edgeOf(given, options),
        recipe,
        {
          stateFolder: given.state,
          isResuming: given.resume,
          waits: given.wait,
          device: given.device,
          server: serverOf(given, environment),
          threads: given.threads,
          memoryLimit: given.memoryLimit,
          base: given.base,
          precision: given.precision,
          rank: given.rank,
          alpha: given.alpha ?? 2 * given.rank,
          start,
          microbatchTokens: given.microbatchTokens,
          seed: given.seed,
          tasks: { start: GATE_TASKS_START, count: given.evaluationTasks, seed: given.seed },
          promotionMargin: given.promotionMargin,
          watch: watchLimitsOf(given),
          visitorShare: given.visitorShare,
          leaseSeconds: given.leaseSeconds,
          pollMs: given.pollSeconds * 1000,
          partialStepMs: given.partialStepSeconds * 1000,
          publishEvery: given.publishEvery,
          shuffleAdvantages: given.shuffleAdvantages,
          maxSteps: given.maxSteps,
          maxPublications: given.maxPublications,
          idleExitMs: given.idleExitSeconds * 1000,
        },
        report,
        signal,
      );
      const { stoppedBy, state, twice } = summary;
      const { step, publications, promotions, stableVersion } = state;
      report.note("stopped", { stoppedBy, step, publications, promotions, stableVersion, twice });
    });

  withLearning(program.command("simulate"))
    .description("train in the demo shop without an edge, on rollouts in this process")
    .option("--steps <n>", "learning steps", positive, 30)
    .option("--group-size <n>", "rollouts of one task", positive, 8)
    .option("--evaluate-every <n>", "steps between evaluations, 0 = only at the end", whole, 0)
    .action(async (given: SimulateOptions) => {
      if (given.list) {
        for (const line of listedRecipes(given.json)) writeOut(line);
        return;
      }
      const recipe = recipeOf(given, given.steps);
      const model = await modelUnder(given.base, given.device, given.model);
      const adapterShape = { rank: given.rank, alpha: given.alpha ?? 2 * given.rank };
      const start = { ...adapterShape, seed: given.seed };
      const server = serverOf(given, environment);
      const engine = await openEngine(model, given.device, start, given, server);
      const policy = await openPolicy(heldAs(model, given.base), given.threads);
      try {
        requireEngine(recipe, engine.capabilities());
        const { base, final } = await simulate(
          engine,
          recipe,
          {
            policy,
            format: model.format,
            sampling: recipe.stage.settings.sampling,
          },
          (seed) => ({ environment: SHOP_ENVIRONMENT, seed, split: "train" }),
          {
            steps: given.steps,
            groupSize: given.groupSize,
            publishEvery: given.publishEvery,
            evaluateEvery: given.evaluateEvery,
            tasks: {
              environment: SHOP_ENVIRONMENT,
              start: 0,
              count: given.evaluationTasks,
              seed: given.seed,
            },
            seed: given.seed,
            shuffleAdvantages: given.shuffleAdvantages,
            adapterShape,
            band: LOG_PROB_BAND.max,
            microbatchTokens: given.microbatchTokens,
          },
          (event) => writeError(given.json ? JSON.stringify(event) : simulationLine(event)),
          signal,
        );
        const { difference, interval, pValue } = pairedDifference(base, final);
        const [before, after] = [successRate(base).rate, successRate(final).rate];
        writeOut(JSON.stringify({ base: before, final: after, difference, interval, pValue }));
      } finally {
        await engine.dispose();
        await policy.dispose();
      }
    });

  withEdge(withModel(program.command("evaluate")))
    .description("compare versions on the same held-out tasks; prints one JSON object")
    .option("--versions <list>", "such as 0,3; default the base and the stable one", wholeNumbers)
    .option("--environment <name>", "where the tasks are from", SHOP_ENVIRONMENT)
    .option("--tasks <n>", "held-out tasks", positive, 400)
    .option("--start <n>", "first held-out task; a multiple of four", whole, 0)
    .addOption(seedOption())
    .option(
      "--temperatures <list>",
      "sampling temperatures to try beside 1, such as 0,0.5; 0 is greedy",
      numbers,
      [],
    )
    .addOption(stateOption())
    .addOption(jsonOption())
    .action(async (given: EvaluateOptions) => {
      const model = await readBaseModel(given.model);
      const { environment, start, tasks: count, seed } = given;
      const tasks = { environment, start, count, seed };
      const source = { stateFolder: given.state, edge: () => edgeOf(given, options) };
      const results = await evaluateVersions(model, given, tasks, source, signal);
      const others: TemperatureComparison[] = [];
      for (const temperature of given.temperatures) {
        const at = { ...given, temperature };
        const found = await evaluateVersions(model, at, tasks, source, signal);
        others.push(atTemperature(temperature, found));
      }
      writeOut(JSON.stringify({ ...comparison(results), temperatures: others }));
    });

  withEdge(program.command("status"))
    .description("list the policy versions of an edge, newest first, as one JSON object")
    .action(async (given: EdgeOptions) => {
      writeOut(JSON.stringify(await edgeOf(given, options).policies()));
    });

  addPublishTextCommand<EdgeOptions>(
    withEdge(program.command("publish-text")),
    (given) => edgeOf(given, options),
    writeOut,
  );
  addOperatorCommands(program, options);
  addVisitorCommands(program, options);
  addDeadLettersCommand(program, options);
  addExchangeCommands(program, options);
  addImitateCommand(program, options);
  addLearnCommand(program, options);
  addEvidenceCommand(program, options);
  addStudyCommand(program, options);
  addTrialCommand(program, options);
  addTrainBaseCommand(program, options);
  addPlanCommand(program, options);
  addSaveCommand(program, options);
  groupCommands(program);
  return program;
}

const plainHelp = new Help();
/** What commander says of every switch, and goes without saying. */
const OFF = /\s*\(default: false\)$/;

/** Shows the npm script to a reader who ran one. */
function usageOf(command: Command, environment: ProgramOptions["environment"]): string {
  const script = environment["npm_lifecycle_event"];
  if (script === command.name()) return `npm run ${script} -- ${command.usage()}`;
  const usage = plainHelp.commandUsage(command);
  return script === "waggle" ? usage.replace(/^waggle/, "npm run waggle --") : usage;
}

function withModel(command: Command): Command {
  return command
    .addOption(modelOption())
    .addOption(deviceOption())
    .addOption(threadsOption())
    .addOption(memoryLimitOption());
}

function withNumbers(command: Command): Command {
  return command.addOption(baseOption()).addOption(precisionOption());
}

function withEdge(command: Command): Command {
  return command.addOption(edgeOption()).addOption(trainerCredentialOption());
}

function withLearning(command: Command): Command {
  return withSchedule(withServer(withNumbers(withModel(command))), 2e-3)
    .option("--recipe <name>", "how it learns, a recipe of --list", DEFAULT_EDGE_RECIPE)
    .addOption(settingOption())
    .option("--list", "recipes of the catalogue, and what keeps others from learning so", false)
    .option("--groups-per-step <n>", "groups with a signal of one step", positive, 8)
    .option("--epochs <n>", "optimizer steps on each minibatch", positive, 1)
    .option("--microbatch-tokens <n>", "most tokens of one pass", positive, 4096)
    .option("--entropy-coefficient <c>", "weight of the entropy bonus", number, 0)
    .option("--rank <n>", "of the adapter", positive, 16)
    .addOption(alphaOption())
    .addOption(seedOption())
    .option("--evaluation-tasks <n>", "frozen held-out tasks of an evaluation", positive, 128)
    .option("--publish-every <n>", "learning steps between versions", positive, 4)
    .option("--shuffle-advantages", "the control: advantages dealt at random", false)
    .addOption(jsonOption());
}

function recipeOf(given: CommonOptions, lastStep: number): EdgeRecipe {
  return edgeRecipeNamed(given.recipe, {
    own: given.set,
    groupsPerStep: given.groupsPerStep,
    epochs: given.epochs,
    learningRate: learningRateOf(given, lastStep),
    optimizer: { maxGradientNorm: given.maxGradientNorm, weightDecay: given.weightDecay },
    entropyCoefficient: given.entropyCoefficient,
  });
}

function edgeOf(given: EdgeOptions, { environment, signal }: ProgramOptions): EdgeClient {
  const credential = given.credential ?? environment["WAGGLE_TRAINER_CREDENTIAL"];
  if (credential === undefined || credential === "") {
    throw new WaggleError(
      "UNAUTHENTICATED",
      "the edge needs a credential, got none; set WAGGLE_TRAINER_CREDENTIAL or pass --credential",
    );
  }
  return createEdgeClient({ baseUrl: given.edge, credential, signal });
}

function simulationLine(event: SimulationEvent): string {
  if (event.event === "evaluated") {
    const rate = (event.successes / event.tasks).toFixed(3);
    return `step ${event.step}: held-out success ${rate} (${event.successes} of ${event.tasks}), ${event.minutes.toFixed(1)} min`;
  }
  // An engine on a server has no entropy.
  const show = (name: string, digits: number): string =>
    event.metrics[name]?.toFixed(digits) ?? "unknown";
  return `step ${event.step}: rolled out ${show("rolledOut", 0)} reward ${show("rolledOutReward", 3)}, learned ${show("trajectories", 0)}, gradient ${show("gradientNorm", 3)}, entropy ${show("entropy", 3)}, drift ${show("policyDriftMean", 4)}, ${show("seconds", 1)} s`;
}

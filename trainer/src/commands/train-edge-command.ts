/**
 * `train-edge`: trains on the trajectories of an edge until it is stopped. Without `--env`, it loads no module of environments:
 * a trainer of a site without one can be started where they are refused.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { createReporter } from "../metrics/reporter.ts";
import { ALL_SITES, WaggleError } from "@waggle/protocol";
import { listSitesToTrain } from "../edge/sites-to-train.ts";
import { type Command, Option } from "commander";
import { siteTools } from "../extensions/site-tools.ts";
import { GATE_TASKS_START } from "../evaluation/frozen-tasks.ts";
import { type SiteTraining, trainSites } from "../edge-training/train-sites.ts";
import { modelUnder } from "../model/frozen-base.ts";
import { edgeOf, type EdgeOptions, edgeTransport, withEdge } from "../options/edge-options.ts";
import { type LearningOptions, recipeOf, withLearning } from "../options/learning-options.ts";
import { number, positive, probability } from "../options/option-values.ts";
import { judgeOf, type JudgeFlags, withJudge } from "../options/judge-options.ts";
import { serverOf } from "../options/server-options.ts";
import {
  adapterOption,
  noResumeOption,
  promotionMarginOption,
  siteFolder,
  sitesOption,
  stateOption,
  tensorboardOption,
} from "../options/shared-options.ts";
import { watchLimitsOf, type WatchOptions, withWatch } from "../options/watch-options.ts";
import { listedRecipes } from "../recipes/edge-recipe-list.ts";
import { readAdapterFolder } from "../model/adapter-folder.ts";
import type { ProgramOptions } from "../options/program-options.ts";

type TrainOptions = LearningOptions &
  Omit<EdgeOptions, "site"> &
  WatchOptions &
  JudgeFlags & {
    site?: readonly string[];
    env?: readonly string[];
    tools?: string;
    state: string;
    tensorboard: boolean;
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
    networkShare: number;
    keyShare: number;
  };

export function addTrainEdgeCommand(program: Command, options: ProgramOptions): void {
  const { signal, writeOut, writeError, environment } = options;
  withJudge(withWatch(withEdge(withLearning(program.command("train-edge")), sitesOption())))
    .description("train on the trajectories of an edge until stopped")
    .option(
      "--env <source>",
      "environment: the name of a built-in one, the folder of a site, or a file or package that exports one, such as ./my-site.ts#name (default: the one that the edge assigns, if it is built in)",
      (source, before: readonly string[] | undefined) => [...(before ?? []), source],
    )
    .option(
      "--tools <source>",
      "for a site without an environment: its folder with waggle.config.ts, or a .json file with a list of its tools' definitions; requests that were decoded with its pages' tools can then be learned from",
    )
    .addOption(stateOption())
    .addOption(tensorboardOption())
    .addOption(
      adapterOption(
        "start from this adapter, with the optimizer moments that save-model wrote beside it",
      ),
    )
    .addOption(noResumeOption("discard the saved state and start from the edge's stable policy"))
    .option("--wait", "wait while another trainer uses the state folder", false)
    .addOption(
      new Option("--max-steps <n>", "stop after this many learning steps")
        .argParser(positive)
        .default(Infinity, "no limit"),
    )
    .addOption(
      new Option("--max-publications <n>", "stop after this many publications")
        .argParser(positive)
        .default(Infinity, "no limit"),
    )
    .addOption(
      new Option(
        "--idle-exit-seconds <s>",
        "after this long without new trajectories, learn from the rest and stop",
      )
        .argParser(number)
        .default(Infinity, "never"),
    )
    .option("--lease-seconds <s>", "duration of a lease without renewal", positive, 60)
    .option(
      "--partial-step-seconds <s>",
      "after this wait, take a step with fewer groups",
      number,
      15,
    )
    .option("--poll-seconds <s>", "wait before the next lease if nothing is ready", number, 1)
    .addOption(promotionMarginOption())
    .option(
      "--visitor-share <rate>",
      "cap on one visitor's share of a step's gradient",
      probability,
      0.1,
    )
    .option(
      "--network-share <rate>",
      "cap on one network's share of a step's gradient; it acts once 8 networks take part",
      probability,
      0.1,
    )
    .option(
      "--key-share <rate>",
      "cap on one site key's share of a step's gradient; 1 is no cap",
      probability,
      1,
    )
    .action(async (given: TrainOptions) => {
      if (given.list) {
        for (const line of listedRecipes(given.json)) writeOut(line);
        return;
      }
      const recipe = recipeOf(given, given.maxSteps);
      const judge = judgeOf(given, recipe, environment);
      const own = given.env && (await environmentsFrom(given.env));
      const tools = given.tools === undefined ? undefined : await siteTools(given.tools);
      const { site: sites = [undefined], ...withoutSite } = given;
      const isAll = sites[0] === ALL_SITES;
      if ((sites.length > 1 || isAll) && given.adapter !== undefined) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          "--adapter is the start of one site; start the others in a trainer without it",
        );
      }
      const model = await modelUnder(given.base, given.device, given.model);
      const start =
        given.adapter === undefined
          ? undefined
          : await readAdapterFolder(given.adapter, model.config);
      const reporterOf = (site?: string) =>
        createReporter(given.json ? writeOut : writeError, given.json, site);
      const trainingOf = (site?: string): SiteTraining => ({
        edge: edgeOf(site === undefined ? withoutSite : { ...withoutSite, site }, options),
        report: reporterOf(sites.length > 1 || isAll ? site : undefined),
        options: {
          stateFolder: siteFolder(given.state, site),
          tensorboard: given.tensorboard,
          environments: own,
          tools,
          isResuming: given.resume,
          waits: given.wait,
          device: given.device,
          server: serverOf(given, environment),
          judge,
          threads: given.threads,
          memoryLimit: given.memoryLimit,
          base: given.base,
          precision: given.precision,
          rank: given.rank,
          alpha: given.alpha ?? 2 * given.rank,
          start,
          microbatchTokens: given.microbatchTokens,
          seed: given.seed,
          tasks: {
            start: GATE_TASKS_START,
            count: given.evaluationTasks,
            seed: given.seed,
            turnTokens: given.turnTokens,
            constrainToolCalls: given.constrainToolCalls,
          },
          promotionMargin: given.promotionMargin,
          watch: watchLimitsOf(given),
          shares: {
            visitor: given.visitorShare,
            network: given.networkShare,
            siteKey: given.keyShare,
          },
          leaseSeconds: given.leaseSeconds,
          pollMs: given.pollSeconds * 1000,
          partialStepMs: given.partialStepSeconds * 1000,
          publishEvery: given.publishEvery,
          shuffleAdvantages: given.shuffleAdvantages,
          maxSteps: given.maxSteps,
          maxPublications: given.maxPublications,
          idleExitMs: given.idleExitSeconds * 1000,
        },
      });
      if (!isAll) {
        await trainSites(
          model,
          recipe,
          sites.map((site) => trainingOf(site)),
          signal,
        );
        return;
      }
      const all = {
        list: () => listSitesToTrain(edgeTransport(withoutSite, options)),
        trainingOf,
        reporterOf,
        report: reporterOf(),
        environments: own ?? [],
      };
      const { trainAllSites } = await import("../edge-training/train-all-sites.ts");
      await trainAllSites(model, recipe, all, signal);
    });
}

/** Loads modules of environments only where one is named. */
async function environmentsFrom(sources: readonly string[]): Promise<EnvironmentSpec[]> {
  const { environmentFrom } = await import("../extensions/environment-module.ts");
  return Promise.all(sources.map((source) => environmentFrom(source)));
}

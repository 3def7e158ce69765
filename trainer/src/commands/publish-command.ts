/** `publish`: publishes an adapter that was trained elsewhere, if it passes the gate. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EnvironmentSpec } from "@waggle/environments";
import {
  type EvaluationResult,
  FULL_SUPPORT,
  type GuidanceReference,
  WaggleError,
} from "@waggle/protocol";
import type { Command } from "commander";
import { requireAssigned } from "../edge/assigned-environment.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import { publishBase } from "../edge-training/publish-base.ts";
import { evaluateVersion } from "../evaluation/frozen-evaluation.ts";
import {
  frozenTasksName,
  keepingBase,
  type FrozenTasks,
  GATE_TASKS_START,
} from "../evaluation/frozen-tasks.ts";
import { taskProgress } from "../evaluation/task-progress.ts";
import { environmentFrom } from "../extensions/environment-module.ts";
import { createReporter, probesText, type Reporter, retentionText } from "../metrics/reporter.ts";
import { createAdapterCache } from "../model/adapter-cache.ts";
import { readAdapterFolder } from "../model/adapter-folder.ts";
import { type BaseModel, readBaseModel } from "../model/base-model.ts";
import { createGuidanceCache } from "../model/guidance-cache.ts";
import { openPolicy } from "../model/open-model.ts";
import { edgeOf, type EdgeOptions, edgeTransport, withEdge } from "../options/edge-options.ts";
import { type LearningOptions, PAGE_TURN } from "../options/learning-options.ts";
import type { ProgramOptions } from "../options/program-options.ts";
import { environmentOption } from "../options/environment-option.ts";
import {
  evaluationTasksOption,
  jsonOption,
  modelOption,
  promotionMarginOption,
  seedOption,
  threadsOption,
  freeToolCallsOption,
  turnTokensOption,
} from "../options/shared-options.ts";
import { requireTurnTokens } from "../rollouts/turn-limit.ts";
import { type AdapterResult, publishAdapter } from "../sink/adapter-publication.ts";
import { promotionRule } from "../sink/promotion-rule.ts";
import { retentionPlayer } from "../sink/retention-check.ts";

type PublishOptions = EdgeOptions &
  Pick<
    LearningOptions,
    "model" | "threads" | "seed" | "turnTokens" | "constrainToolCalls" | "evaluationTasks" | "json"
  > & { env?: string; promotionMargin: number; dryRun: boolean };

export function addPublishCommand(program: Command, options: ProgramOptions): void {
  const { signal, writeOut, writeError } = options;
  withEdge(program.command("publish"))
    .description("publish an adapter that was trained elsewhere, if it passes the gate, or a model")
    .argument(
      "[adapter]",
      "folder in PEFT's layout, as train --out, TRL or verl write it (without one, --model names a model to publish alone)",
    )
    .addOption(modelOption())
    .addOption(environmentOption("the one that the edge assigns, if it is built in"))
    .addOption(evaluationTasksOption())
    .addOption(promotionMarginOption())
    .addOption(seedOption())
    .addOption(turnTokensOption(PAGE_TURN))
    .addOption(freeToolCallsOption())
    .addOption(threadsOption())
    .option("--dry-run", "evaluate and print the gate's decision, but publish nothing", false)
    .addOption(jsonOption())
    .action(async (folder: string | undefined, given: PublishOptions, command: Command) => {
      if (folder === undefined) {
        requireModel(command);
        const edge = edgeTransport(given, options);
        const report = createReporter(writeError, given.json);
        const sha256 = await publishBase(given.model, edge, {
          isDryRun: given.dryRun,
          note: (...noted) => report.note(...noted),
        });
        const outcome = given.dryRun ? "can be published" : "is published as version 0";
        writeOut(given.json ? JSON.stringify({ baseModel: sha256 }) : `${given.model} ${outcome}`);
        return;
      }
      const model = await readBaseModel(given.model);
      const own = given.env === undefined ? undefined : await environmentFrom(given.env);
      const report = createReporter(writeError, given.json);
      // A publication that was begun is completed after Ctrl-C.
      const finishing = edgeOf(given, { ...options, signal: new AbortController().signal });
      const edge: EdgeClient = {
        ...edgeOf(given, options),
        publish: (request) => finishing.publish(request),
        promote: (version) => finishing.promote(version),
        rollBack: (version, reason) => finishing.rollBack(version, reason),
      };
      const result = await publishFolder(folder, model, edge, { ...given, own }, report, signal);
      writeResult(result, given.json, writeOut);
    });
}

/** A forgotten adapter must not publish the default model. @throws WaggleError `INVALID_ARGUMENT` without --model. */
function requireModel(command: Command): void {
  if (command.getOptionValueSource("model") === "cli") return;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    "name the adapter's folder, or pass --model to publish a model alone",
  );
}

/** @throws WaggleError `GATE_NOT_PASSED` for an adapter that is not served, after its JSON is written. */
export function writeResult(
  result: AdapterResult,
  asJson: boolean,
  writeOut: (line: string) => void,
): void {
  if (asJson) writeOut(JSON.stringify(result));
  if (isRefused(result)) throw new WaggleError("GATE_NOT_PASSED", textOf(result));
  if (!asJson) writeOut(textOf(result));
}

/**
 * Evaluates the adapter in a folder and publishes it if it passes.
 * @throws WaggleError like `readAdapterFolder` and `publishAdapter`; `CONFLICT` for another base
 *   model than the edge's; `INVALID_ARGUMENT` for another environment
 */
export async function publishFolder(
  folder: string,
  model: BaseModel,
  edge: EdgeClient,
  given: Omit<PublishOptions, "edge" | "env" | "json"> & {
    readonly own?: EnvironmentSpec | undefined;
  },
  report: Reporter,
  signal: AbortSignal,
): Promise<AdapterResult> {
  const { adapter } = await readAdapterFolder(folder, model.config);
  await requireSameBase(model, given.model, edge);
  const control = await edge.control();
  const { environment } = control;
  requireAssigned(control, given.own, given.site);
  const { seed, turnTokens, constrainToolCalls, evaluationTasks: count } = given;
  const tasks: FrozenTasks = {
    environment,
    start: GATE_TASKS_START,
    count,
    seed,
    turnTokens,
    constrainToolCalls,
  };
  const cacheFolder = await mkdtemp(join(tmpdir(), "waggle-publish-"));
  const policy = await openPolicy(model, given.threads);
  try {
    requireTurnTokens(turnTokens, policy.contextLength);
    const download = (digest: string): Promise<Uint8Array> => edge.getObject(digest);
    const guidance = createGuidanceCache(download);
    const partsWith = async (said: GuidanceReference | undefined) => ({
      policy,
      format: model.format,
      sampling: FULL_SUPPORT,
      environments: given.own && [given.own],
      guidance: said === undefined ? null : await guidance.get(said),
    });
    return await publishAdapter(
      {
        edge,
        adapterCache: createAdapterCache({ folder: cacheFolder, config: model.config, download }),
        evaluate: keepingBase(async (version, evaluated, stop, said) => {
          const parts = {
            ...(await partsWith(said)),
            onTask: taskProgress(count, (done) =>
              report.note("evaluating", {
                policy:
                  evaluated?.tensors === adapter.tensors ? "the adapter" : `version ${version}`,
                done,
                tasks: count,
              }),
            ),
          };
          return evaluateVersion(parts, tasks, version, evaluated, stop);
        }),
        retention: retentionPlayer(given.own, tasks, partsWith),
        environment,
        evaluationName: frozenTasksName(tasks),
        mayPromote: promotionRule(given.promotionMargin),
        report,
      },
      adapter,
      { tasks: count, isDryRun: given.dryRun },
      signal,
    );
  } finally {
    await policy.dispose();
    await rm(cacheFolder, { recursive: true, force: true });
  }
}

async function requireSameBase(
  { reference }: BaseModel,
  folder: string,
  edge: EdgeClient,
): Promise<void> {
  const { policies } = await edge.policies();
  const served = policies[0]?.baseModel ?? "";
  if (served === reference.sha256) return;
  throw new WaggleError(
    "CONFLICT",
    `the edge serves base model ${served.slice(0, 12)}, but ${folder} is ${reference.sha256.slice(0, 12)}; pass the folder of the edge's base as --model`,
  );
}

function isRefused({ outcome, status }: AdapterResult): boolean {
  const isKnownRefusal = outcome === "known" && status === "rolled-back";
  return outcome === "refused" || outcome === "undecided" || isKnownRefusal;
}

function textOf({ outcome, version, evaluation, reason }: AdapterResult): string {
  const figures = evaluation === null ? "" : ` (${figuresOf(evaluation)})`;
  if (outcome === "promoted") return `version ${version} is stable${figures}`;
  if (outcome === "releasing") {
    return `version ${version} is released to a growing share of visitors, who decide about it${figures}`;
  }
  if (outcome === "passed") return `the gate would promote this adapter${figures}`;
  if (outcome === "known") return `${reason}${figures}; nothing was published`;
  return `this adapter is not served: ${reason}${figures}; train it further, or from the stable version`;
}

function figuresOf(evaluation: EvaluationResult): string {
  const { successes, tasks, stableSuccesses, comparedWith } = evaluation;
  return `it solved ${successes} of ${tasks} tasks, version ${comparedWith} solved ${stableSuccesses}${retentionText(evaluation)}${probesText(evaluation)}`;
}

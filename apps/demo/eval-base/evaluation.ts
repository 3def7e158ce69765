/** Runs the parts of `npm run eval-base` that were asked for. */
import { INVENTED_TASKS } from "@waggle/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import { isotonicFit } from "@waggle/evaluation";
import type { Prediction, StoredCalibration } from "@waggle/evaluation";
import { WaggleError } from "@waggle/protocol";
import { wantedTurns } from "../src/typed-requests/wanted-turns.ts";
import { readBfclCases } from "./bfcl/bfcl-cases.ts";
import { bfclResults } from "./bfcl/bfcl-results.ts";
import { PUBLISHED_FIGURES } from "./bfcl/published-figures.ts";
import { readCalibration } from "./evaluated-model.ts";
import type { EvaluatedModel } from "./evaluated-model.ts";
import { heldOutResults } from "./held-out-results.ts";
import { developmentResults, validationResults } from "./other-requests.ts";
import type { EvalReport } from "./report.ts";
import { talkResults } from "./talk-results.ts";
import { typedResults } from "./typed-results.ts";

/** The parts of a report. */
export const PARTS = ["typed", "validation", "development", "talks", "bfcl", "tools"] as const;
export type EvalPart = (typeof PARTS)[number];

export type EvaluationOptions = {
  readonly parts: ReadonlySet<EvalPart>;
  readonly temperature: number;
  /** Held-out talks of each level, and tasks with unseen tools. */
  readonly tasks: number;
  /** Below this probability, the person is asked before a call that changes something. Absent = never asked. */
  readonly confirmBelow?: number | undefined;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
};

/** Evaluates a model. */
export async function evaluate(
  model: EvaluatedModel,
  { parts, temperature, tasks, confirmBelow, say, signal }: EvaluationOptions,
): Promise<EvalReport> {
  const seconds: { [part: string]: number } = {};
  const timed = async <T>(part: EvalPart, run: () => Promise<T>): Promise<T | null> => {
    if (!parts.has(part)) return null;
    const began = performance.now();
    const found = await run();
    seconds[part] = (performance.now() - began) / 1000;
    return found;
  };
  const evaluating = (what: string) => ({ onProgress: progressLines(what, say), signal });
  const stored = readCalibration(model.folder);
  if (confirmBelow !== undefined && stored === null) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${model.folder} has no calibration.json, so nothing says how likely a call is right; add --fit-calibration`,
    );
  }
  return {
    model: {
      folder: model.folder,
      sha256: model.policy.baseModel,
      contextLength: model.policy.contextLength,
    },
    temperature,
    seed: model.seed,
    calibration: stored === null ? null : withoutMap(stored),
    typed: await timed("typed", () =>
      typedResults(model, stored, confirmBelow, evaluating("typed requests")),
    ),
    validation: await timed("validation", () =>
      validationResults(model, evaluating("validation requests")),
    ),
    development: await timed("development", () =>
      developmentResults(model, evaluating("development requests")),
    ),
    talks: await timed("talks", () => talkResults(model, tasks, evaluating("talks"))),
    bfcl: await timed("bfcl", async () => ({
      ...(await bfclResults(model, readBfclCases(), evaluating("BFCL"))),
      published: PUBLISHED_FIGURES,
    })),
    tools: await timed("tools", async () => {
      const wanted = ["tool", "arguments"];
      const options = evaluating("unseen tools");
      return (await heldOutResults(model, INVENTED_TASKS, tasks, wanted, options)).results;
    }),
    seconds,
  };
}

/** Fits a calibration on held-out tasks of an environment, never on the typed requests. */
export async function fitCalibration(
  model: EvaluatedModel,
  spec: EnvironmentSpec,
  tasks: number,
  { temperature, say, signal }: Pick<EvaluationOptions, "temperature" | "say" | "signal">,
): Promise<StoredCalibration> {
  const evaluating = { onProgress: progressLines("calibration", say), signal };
  const turns: Prediction[] = [];
  const { predictions } = await heldOutResults(model, spec, tasks, [], evaluating, (record) => {
    turns.push(...wantedTurns(record));
  });
  const map = isotonicFit(predictions);
  return {
    environment: spec.name,
    tasks,
    seed: model.seed,
    temperature,
    map,
    calls: turns.length > 0 ? isotonicFit(turns) : map,
  };
}

function withoutMap(stored: StoredCalibration): Omit<StoredCalibration, "map" | "calls"> {
  const { environment, tasks, seed, temperature } = stored;
  return { environment, tasks, seed, temperature };
}

/** A line after each tenth. */
function progressLines(what: string, say: (line: string) => void) {
  let shown = 0;
  return (done: number, total: number): void => {
    const tenth = Math.floor((10 * done) / total);
    if (tenth === shown) return;
    shown = tenth;
    say(`${what}: ${done} of ${total}`);
  };
}

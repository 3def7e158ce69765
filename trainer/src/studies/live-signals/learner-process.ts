/** The trainer's side of one cell in a process that cannot load people, their sites and environments. */
import { fork } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WaggleError } from "@waggle/protocol";
import type { CellLearner, Learned, LearnerStart } from "./cell-learner.ts";
import type { FromLearner, ToLearner } from "./learner-messages.ts";

/** This file's ending: sources run as they are. */
const ENDING = import.meta.filename.endsWith(".ts") ? "ts" : "js";
const NODE_OPTIONS =
  ENDING === "ts" ? ["--conditions=source", "--disable-warning=ExperimentalWarning"] : [];

/** Modules of the study that know what people want. */
const PEOPLE = ["people", "study-site", "parcels", "repairs", "run-cell"].map((name) =>
  join(import.meta.dirname, `${name}.${ENDING}`),
);

/**
 * Starts the process and opens the learner in it.
 *
 * @param model - folder of the base model.
 * @param sites - files of other environments, which it cannot load either.
 */
export async function openLearnerProcess(
  model: string,
  start: LearnerStart,
  sites: readonly string[] = [],
): Promise<CellLearner> {
  const environments = dirname(dirname(fileURLToPath(import.meta.resolve("@waggle/environments"))));
  const hook = pathToFileURL(join(import.meta.dirname, `../../refusal/refuse-modules.${ENDING}`));
  for (const place of [environments, ...PEOPLE, ...sites]) hook.searchParams.append("place", place);
  const child = fork(join(import.meta.dirname, `learner-main.${ENDING}`), {
    execArgv: [...NODE_OPTIONS, "--import", hook.href],
    // Keeps every number and typed array as it is.
    serialization: "advanced",
  });
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      reject(new WaggleError("INTERNAL", `the learner's process ended with ${signal ?? code}`));
    });
  });
  // A process that is ended on purpose is no error.
  ended.catch(() => undefined);
  const ask = async (message: ToLearner): Promise<Learned | null> => {
    const answered = new Promise<FromLearner>((resolve) => child.once("message", resolve));
    child.send(message);
    const answer = await Promise.race([answered, ended]);
    if ("error" in answer) throw new WaggleError("INTERNAL", `the learner: ${answer.error}`);
    return answer.learned;
  };
  const dispose = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
  };
  try {
    await ask({ model, start });
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    async take(requests) {
      const learned = await ask({ requests });
      if (learned === null) throw new WaggleError("INTERNAL", "the learner has learned nothing");
      return learned;
    },
    dispose,
  };
}

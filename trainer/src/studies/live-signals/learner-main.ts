/** The trainer's side of one cell as a process, which is started where people and environments are refused. */
import { readBaseModel } from "../../model/base-model.ts";
import { type CellLearner, type Learned, openCellLearner } from "./cell-learner.ts";
import type { FromLearner, ToLearner } from "./learner-messages.ts";

let learner: CellLearner | null = null;

async function answer(message: ToLearner): Promise<Learned | null> {
  if ("requests" in message) {
    if (learner === null) throw new Error("requests came before the model");
    return learner.take(message.requests);
  }
  learner = await openCellLearner(await readBaseModel(message.model), message.start);
  return null;
}

process.on("message", (message: ToLearner) => {
  const send = (answered: FromLearner): void => void process.send?.(answered);
  answer(message).then(
    (learned) => send({ learned }),
    (error: unknown) => send({ error: error instanceof Error ? error.message : String(error) }),
  );
});

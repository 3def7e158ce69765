/** State that the trainer opens: models, judges, documents and stores, which parts need by name. */
import { option, type PartOption, fixed, definePart } from "../composition/part-options.ts";
import { kept, resource, type StatePart } from "../composition/state.ts";

/** A world model, fitted to logged calls before the stage starts. */
export const worldModel: StatePart<"world-model"> = resource("world-model");

/** The environment's own documents and index; nothing is opened. */
export const ownCorpus: StatePart<"corpus"> = {
  slot: "state",
  part: "corpus",
  initial: () => "environment",
};

/** Parameters that exist for one step. */
export const temporary: StatePart<"fast-weights"> = resource("fast-weights");

/** Notes of one rollout. */
export const notes: StatePart<"memory-bank"> = resource("memory-bank");

/** The environment's own memory; nothing is opened. */
export const ownMemory: StatePart<"memory-bank"> = {
  slot: "state",
  part: "memory-bank",
  initial: () => "environment",
};

/** The environment's own user simulator; nothing is opened. */
export const ownSimulator: StatePart<"world-model"> = {
  slot: "state",
  part: "world-model",
  initial: () => "environment",
};

/** The policy in another role; nothing is opened. */
export const ownModel: StatePart<"world-model"> = {
  slot: "state",
  part: "world-model",
  initial: () => "policy",
};

/** The frozen base model. */
export const reference: StatePart<"ref"> = resource("ref");

/** A value head on the policy. */
export const valueHead: StatePart<"critic"> = resource("critic");

/** A stronger policy. */
export const teacher: StatePart<"teacher"> = resource("teacher");

/** An adapter with a value head, trained by a stage of the recipe. */
export const rewardModelState: StatePart<"rm"> = resource("rm");

/** An adapter whose log-ratios to the base are process rewards, trained by a stage of the recipe. */
export const processModelState: StatePart<"iprm"> = resource("iprm");

/** Parameter changes of models since their common start, kept during a merge stage. */
export const deltas: StatePart<"delta"> = resource("delta");

/** Teachers that demonstrate, each with its share of random decisions; default: one teacher, share 0. */
export function demonstrators(...mistakes: readonly number[]): StatePart<"teacher"> {
  const each = mistakes.map((share, i): [string, PartOption<number>] => [
    `mistakes${i}`,
    fixed(share),
  ]);
  const options: { readonly [name: string]: PartOption<number> } =
    each.length === 0 ? { mistakes: option(undefined, 0) } : Object.fromEntries(each);
  return definePart(options, (given) => ({
    slot: "state",
    part: "teacher",
    initial: () => Object.values(given),
  }));
}

/** A judge of transcripts. */
export const judgment: StatePart<"judge"> = resource("judge");

/** The current sampling temperature. */
export function temperature(start?: number): StatePart<"temperature"> {
  return definePart({ temperatureStart: option(start, 1) }, ({ temperatureStart: start }) =>
    kept("temperature", () => start),
  );
}

/** Groups with unfinished rollouts. */
export const unfinishedGroups: StatePart<"rest-buffer"> = kept("rest-buffer", () => []);

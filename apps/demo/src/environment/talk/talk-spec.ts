/** The shop's talks as an `EnvironmentSpec`: what people ask for, with the assistant's right conduct. */
import { type RandomSource, type TaskReference, WaggleError } from "@waggle/protocol";
import type { DemonstratedAction, Demonstrator, EnvironmentSpec } from "@waggle/environments";
import { Assistant } from "./assistant.ts";
import { EVERYDAY } from "./everyday.ts";
import { createTalk } from "./talk-environment.ts";
import { nearMisses } from "./talk-examples.ts";
import { furtherTalkLevel, redrawnTalkLevel, talkLevel, talkOf } from "./talk-instance.ts";
import { LEVEL_OF_FURTHER_TALK, LEVEL_OF_REDRAWN_TALK, LEVEL_OF_TALK } from "./talk-plans.ts";
import { talkTask } from "./talk-task.ts";

/** Actions of a demonstration, recorded in an environment of the same task. */
async function recorded(
  reference: TaskReference,
  random: RandomSource,
  mistakes: number,
): Promise<DemonstratedAction[]> {
  const { environment } = createTalk(reference);
  await environment.observe();
  const { signal } = new AbortController();
  const actions: DemonstratedAction[] = [];
  const assistant = new Assistant(
    async (calls) => {
      const toolCalls = calls.map(([name, args], at) => ({
        id: `c${actions.length}-${at}`,
        name,
        arguments: args,
      }));
      actions.push({ text: "", calls: calls.map(([name, args]) => ({ name, arguments: args })) });
      const { toolResults } = await environment.step({ text: "", toolCalls }, signal);
      return toolResults.map((result) => (result.ok ? result.value : null));
    },
    random,
    mistakes,
  );
  for (const turns of talkOf(reference).messages) {
    const said: string[] = [];
    for (const turn of turns) said.push(await turn.conduct(assistant));
    const text = said.join(" ");
    actions.push({ text, calls: [] });
    const { terminated } = await environment.step({ text, toolCalls: [] }, signal);
    if (terminated) break;
  }
  return actions;
}

/** Repeats recorded actions. */
function replaying(actions: readonly DemonstratedAction[]): Demonstrator {
  let at = 0;
  return () => {
    const action = actions[at] ?? { text: "", calls: [] };
    at += 1;
    return action;
  };
}

/** The right actions of a task. */
const gold = (reference: TaskReference) => recorded(reference, () => 0.5, 0);

/** The environment of talks with these names. Refuses tasks of others. */
function talks(
  named: Pick<
    EnvironmentSpec,
    "name" | "environments" | "levels" | "reference" | "levelOf" | "maxTurns"
  >,
): EnvironmentSpec {
  const own =
    <Rest extends readonly unknown[], Result>(of: (task: TaskReference, ...rest: Rest) => Result) =>
    (reference: TaskReference, ...rest: Rest): Result => {
      named.levelOf(reference);
      return of(reference, ...rest);
    };
  return {
    ...named,
    features: ["user"],
    contextLength: 1024,
    task: own(talkTask),
    startState: own((reference) => ({ cart: talkOf(reference).cart })),
    create: own((reference) => createTalk(reference)),
    examples: {
      gold: own(async (reference) => replaying(await gold(reference))),
      nearMisses: own(async (reference) =>
        nearMisses(await gold(reference), talkOf(reference)).map(replaying),
      ),
    },
    demonstrator: own(async (reference, random: RandomSource, mistakes: number) =>
      replaying(await recorded(reference, random, mistakes)),
    ),
  };
}

/** Level 0 has one message with one wish; level 1 has several wishes or several messages. */
function leveledTalks(
  names: readonly string[],
  levelOf: (task: TaskReference) => number,
): EnvironmentSpec {
  const name = names[0] ?? "";
  return talks({
    name,
    environments: names,
    levels: names.length,
    maxTurns: 12,
    reference: (seed, split, level) => ({
      environment: names[level] ?? name,
      seed: seed >>> 0,
      split,
    }),
    levelOf,
  });
}

/** Talks in the shop that visitors see. */
export const SHOP_TALK: EnvironmentSpec = leveledTalks(LEVEL_OF_TALK, talkLevel);

/**
 * Talks in a shop whose catalogue is redrawn for each talk. Nothing about a product can be remembered, so a policy must
 * read names, ids and numbers where the tools show them.
 */
export const REDRAWN_SHOP_TALK: EnvironmentSpec = leveledTalks(
  LEVEL_OF_REDRAWN_TALK,
  redrawnTalkLevel,
);

/** Talks of the further kinds. Level 0 has the catalogue, level 1 redrawn ones. */
export const FURTHER_SHOP_TALK: EnvironmentSpec = leveledTalks(
  LEVEL_OF_FURTHER_TALK,
  furtherTalkLevel,
);

/** Talks of both levels under one name, which the edge can assign. */
export const EVERYDAY_SHOP: EnvironmentSpec = talks({
  name: EVERYDAY,
  environments: [EVERYDAY],
  levels: 1,
  // As many as a page allows.
  maxTurns: 8,
  reference: (seed, split) => ({ environment: EVERYDAY, seed: seed >>> 0, split }),
  levelOf: ({ environment }) => {
    if (environment === EVERYDAY) return 0;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the task belongs to environment "${environment.slice(0, 64)}", not to ${EVERYDAY}`,
    );
  },
});

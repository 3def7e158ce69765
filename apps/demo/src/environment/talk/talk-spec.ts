/** The shop's talks as an `EnvironmentSpec`: what people ask for, with the assistant's right conduct. */
import type { RandomSource, TaskReference } from "@waggle/protocol";
import type { DemonstratedAction, Demonstrator, EnvironmentSpec } from "@waggle/environments";
import { Assistant } from "./assistant.ts";
import { createTalk } from "./talk-environment.ts";
import { nearMisses } from "./talk-examples.ts";
import { talkLevel, talkOf } from "./talk-instance.ts";
import { EVERYDAY, LEVEL_OF_TALK } from "./talk-plans.ts";
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

/** Level 0 has one message with one wish; level 1 has two wishes or several messages. */
export const SHOP_TALK: EnvironmentSpec = {
  name: LEVEL_OF_TALK[0] ?? "shop-talk",
  environments: LEVEL_OF_TALK,
  levels: LEVEL_OF_TALK.length,
  reference: (seed, split, level) => ({
    environment: LEVEL_OF_TALK[level] ?? "shop-talk",
    seed: seed >>> 0,
    split,
  }),
  levelOf: talkLevel,
  features: ["user"],
  maxTurns: 12,
  contextLength: 1024,
  task: talkTask,
  startState: (reference) => ({ cart: talkOf(reference).cart }),
  create: createTalk,
  examples: {
    gold: async (reference) => replaying(await gold(reference)),
    nearMisses: async (reference) =>
      nearMisses(await gold(reference), talkOf(reference)).map(replaying),
  },
  demonstrator: async (reference, random, mistakes) =>
    replaying(await recorded(reference, random, mistakes)),
};

/** Talks of both levels under one name, which the edge can assign. */
export const EVERYDAY_SHOP: EnvironmentSpec = {
  ...SHOP_TALK,
  name: EVERYDAY,
  environments: [EVERYDAY],
  levels: 1,
  reference: (seed, split) => ({ environment: EVERYDAY, seed: seed >>> 0, split }),
  levelOf: () => 0,
};

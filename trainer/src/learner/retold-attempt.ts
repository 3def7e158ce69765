/**
 * Several attempts at one task told as one: turns as they were said, words between them, and a world that
 * is put back to where the next piece begins. Nothing is sampled. Turns before the first words are given:
 * they are another attempt's.
 */
import { rollOut } from "@waggle/agent";
import type { TaskFamily, TaskWorld } from "@waggle/environments";
import { type Episode, type Retelling, type Retells, toEpisode } from "@waggle/learning";
import type { Observation, TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { CollectParts } from "./collect.ts";
import { NOBODY, scriptedPolicy } from "./demonstrated-attempt.ts";
import { judged } from "./family-attempt.ts";

/** What the world says where something is said in the middle that would have ended the task. */
const GO_ON = "Go on.";
/** And where it was put back. */
const BACK = "You are where you were before.";

type Step =
  | { readonly kind: "turn"; readonly tokenIds: readonly number[] }
  /** Words, after which the world stands after so many turns of an attempt. */
  | { readonly kind: "words"; readonly stands: { readonly in: Episode; readonly after: number } };

/** The episodes, and what a plan tells of them as one more. */
export async function withRetold(
  episodes: readonly Episode[],
  { retells }: { readonly retells?: Retells },
  { family, format, policy }: Pick<CollectParts, "family" | "format" | "policy">,
  task: TaskReference,
): Promise<Episode[]> {
  const retelling = retells?.(episodes) ?? null;
  if (retelling === null) return [...episodes];
  const { contextLength } = policy;
  const told = await retoldAttempt(retelling, episodes, family, task, format, contextLength);
  return told === null ? [...episodes] : [...episodes, told];
}

async function retoldAttempt(
  { pieces, words }: Retelling,
  episodes: readonly Episode[],
  family: TaskFamily,
  task: TaskReference,
  format: ChatFormat,
  contextLength: number,
): Promise<Episode | null> {
  const steps: Step[] = [];
  for (const { attempt, from, to } of pieces) {
    const told = episodes.find(({ id }) => id === attempt);
    if (told === undefined) return null;
    if (steps.length > 0) steps.push({ kind: "words", stands: { in: told, after: from } });
    for (const { segmentId } of told.trajectory.turns.slice(from, to)) {
      const segment = told.trajectory.segments.find(({ id }) => id === segmentId);
      steps.push({ kind: "turn", tokenIds: segment?.tokenIds ?? [] });
    }
  }
  const first = steps.findIndex(({ kind }) => kind === "words");
  const [root] = pieces;
  if (root === undefined || first < 0) return null;

  let world = family.world(task);
  let [said, done] = [0, 0];
  const act: TaskWorld["environment"]["step"] = async (action, signal) => {
    const step = steps[done];
    done += 1;
    if (step?.kind === "words") {
      world = await worldAfter(family, task, step.stands.in, step.stands.after, signal);
      return { toolResults: [], userMessage: BACK, terminated: false };
    }
    const observation: Observation = await world.environment.step(action, signal);
    if (done === steps.length) return observation;
    const isSilent = observation.toolResults.length === 0 && observation.userMessage === undefined;
    return { ...observation, ...(isSilent ? { userMessage: GO_ON } : {}), terminated: false };
  };
  const trajectory = await rollOut({
    policy: scriptedPolicy(() => {
      const step = steps[said];
      said += 1;
      return step?.kind === "turn" ? step.tokenIds : format.encodeAssistant(words, []);
    }, contextLength),
    environment: { task, observe: () => world.environment.observe(), step: act },
    chatFormat: format,
    limits: { maxTurns: steps.length, maxTokensPerTurn: contextLength, timeoutMs: 0 },
    consent: { version: "none", scopes: ["train"], grantedAt: "2026-01-01T00:00:00.000Z" },
    client: NOBODY,
    seed: 0,
  });
  const verification = judged(world, family.task(task), trajectory, format);
  return toEpisode(trajectory, verification, {
    role: "retold",
    branch: { episode: root.attempt, turn: first },
  });
}

/** A new world, in which the calls of so many turns were made again. */
async function worldAfter(
  family: TaskFamily,
  task: TaskReference,
  { trajectory }: Episode,
  turns: number,
  signal: AbortSignal,
): Promise<TaskWorld> {
  const world = family.world(task);
  await world.environment.observe();
  for (const { toolCalls } of trajectory.turns.slice(0, turns)) {
    await world.environment.step({ text: "", toolCalls }, signal);
  }
  return world;
}

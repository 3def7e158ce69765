/**
 * Simulated people: one after another types a request, reads the answer and perhaps says how it was, as visitors do. Their
 * requests are no assigned tasks: what a person asks about, the verdict and the seed stay in this page.
 */
import type { Agent } from "@waggle/embed";
import type { PeopleRequest, SimulatedPeople } from "@waggle/embed/practice";
import type { EnvironmentSpec } from "@waggle/environments";
import { drawPerson } from "./person.ts";
import type { SampleTask } from "./sample-task.ts";

/** Options of `simulatePeople`. */
export type PeopleOptions = {
  readonly agent: Pick<
    Agent,
    "send" | "clear" | "feedback" | "outcome" | "conversation" | "consent"
  >;
  /** The task that the agent's tools act on. */
  readonly sample: SampleTask;
  readonly environment: Pick<EnvironmentSpec, "name" | "maxTurns">;
  readonly request: PeopleRequest;
  /** Gets the error that ended it. */
  readonly onError: (error: unknown) => void;
};

/** Consecutive tasks with an error after which no further person comes. */
const MAX_FAULTS = 3;

/** Starts at once. Ends after `count` people, without consent, after repeated errors or when it is stopped. */
export function simulatePeople(options: PeopleOptions): SimulatedPeople {
  const { agent, sample, environment, request } = options;
  let progress: SimulatedPeople["progress"] = {
    running: true,
    requests: 0,
    answered: 0,
    good: 0,
    bad: 0,
    failed: 0,
  };
  const reactions: { trajectoryId: string; at: number }[] = [];
  let isStopped = false;

  /** Types a message. @returns what the page shows as the answer; `null` if it was cut before that. */
  const ask = async (message: string): Promise<string | null> => {
    progress = { ...progress, requests: progress.requests + 1 };
    const { stopReason } = await agent.send(message).finished;
    if (stopReason !== "completed") return null;
    const part = lastAnswer(agent)?.parts.at(-1);
    return part?.kind === "text" ? part.text : "";
  };
  const say = async (verdict: "good" | "bad", trajectoryId: string, message: string) => {
    if (request.signal === "message") return void (await ask(message));
    const outcome =
      request.signal === "outcome"
        ? await agent.outcome("solved", verdict === "good")
        : await agent.feedback(verdict === "good" ? "thumb-up" : "thumb-down", trajectoryId);
    if (outcome !== "queued") throw new Error(`the ${request.signal} was not sent: ${outcome}`);
  };
  const visit = async (index: number): Promise<void> => {
    const person = drawPerson(request, index);
    agent.clear();
    // As the edge assigns tasks: the seed decides the level.
    await sample.next({ environment: environment.name, seed: person.taskSeed, split: "train" });
    const first = sample.request();
    let text = await ask(first);
    for (let turn = 1; text !== null && turn < environment.maxTurns; turn += 1) {
      const next = await sample.reply(text);
      if (next === null) break;
      text = await ask(next);
    }
    const { success } = await sample.judge(text);
    const verdict = person.verdict(success);
    if (verdict === null) return;
    const trajectoryId = lastAnswer(agent)?.trajectoryId ?? null;
    if (trajectoryId === null)
      throw new Error("only an answer of the site's own policy can be rated");
    const at = Date.now();
    await say(verdict, trajectoryId, person.message(verdict, first));
    reactions.push({ trajectoryId, at });
    const { answered, good, bad } = progress;
    progress = {
      ...progress,
      answered: answered + 1,
      good: good + (verdict === "good" ? 1 : 0),
      bad: bad + (verdict === "bad" ? 1 : 0),
    };
  };
  const run = async (): Promise<void> => {
    let faults = 0;
    for (let index = 0; index < request.count && !isStopped; index += 1) {
      if (agent.consent.get() === null) return;
      try {
        await visit(index);
        faults = 0;
      } catch (error) {
        progress = { ...progress, failed: progress.failed + 1 };
        faults += 1;
        if (faults < MAX_FAULTS) continue;
        options.onError(error);
        return;
      }
    }
  };
  void run().finally(() => {
    progress = { ...progress, running: false };
  });
  return {
    get progress() {
      return progress;
    },
    reactions,
    stop() {
      isStopped = true;
    },
  };
}

function lastAnswer({ conversation }: Pick<Agent, "conversation">) {
  const last = conversation.at(-1);
  return last?.kind === "answer" ? last : null;
}

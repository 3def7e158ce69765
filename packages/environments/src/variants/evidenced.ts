/**
 * Adds a question for evidence: after the answer, the user asks what it is based on. The verifier judges the
 * answer only; the evidence is learned from demonstrations and not judged.
 *
 * Source: Prism-Reranker (a score, and a passage of evidence that stands by itself). Differs from it: the
 * evidence is the last result that was seen, with its call.
 */
import type { Environment } from "@waggle/protocol";
import type { DemonstratedAction, EnvironmentSpec } from "../environment-spec.ts";

const QUESTION = "Evidence?";

export function evidenced(spec: EnvironmentSpec): EnvironmentSpec {
  return {
    ...spec,
    maxTurns: spec.maxTurns + 1,
    create: (reference) => {
      const instance = spec.create(reference);
      let answer: string | null = null;
      const environment: Environment = {
        task: instance.environment.task,
        observe: () => instance.environment.observe(),
        async step(action, signal) {
          if (answer !== null) return { toolResults: [], terminated: true };
          const observation = await instance.environment.step(action, signal);
          if (!observation.terminated) return observation;
          answer = action.text;
          return { ...observation, userMessage: QUESTION, terminated: false };
        },
      };
      return { environment, judge: (finalText) => instance.judge(answer ?? finalText) };
    },
    demonstrator: async (reference, random, mistakes) => {
      const act = await spec.demonstrator(reference, random, mistakes);
      let last: DemonstratedAction["calls"][number] | undefined;
      let evidence = "None.";
      return (observation) => {
        const result = observation?.toolResults[0];
        if (result?.ok === true && last !== undefined) {
          const given = Object.values(last.arguments).join(" ");
          evidence = `${last.name} ${given}: ${String(result.value)}`;
        }
        if (observation?.userMessage === QUESTION) return { text: evidence, calls: [] };
        const action = act(observation);
        last = action.calls[0];
        return action;
      };
    },
  };
}

/** Wrappers that tell a policy more: a sentence at the beginning, help after a failure. */
import { type EnvironmentWrapper, within } from "./wrapped-environment.ts";

/** The same environment with a sentence more at its beginning. */
export function told(sentence: string): EnvironmentWrapper {
  return (instance) =>
    within(instance, {
      async observe() {
        const first = await instance.environment.observe();
        return { ...first, system: `${first.system} ${sentence}`.trim() };
      },
    });
}

/** A failed rollout hears `guidance` once and goes on. */
export function retrying(guidance: string): EnvironmentWrapper {
  return (instance) => {
    let isTold = false;
    return within(instance, {
      async step(action, signal) {
        // A turn in words would end the task: it is judged before the environment hears it.
        if (isTold || action.toolCalls.length > 0 || instance.judge(action.text).success) {
          return instance.environment.step(action, signal);
        }
        isTold = true;
        return { toolResults: [], userMessage: guidance, terminated: false };
      },
    });
  };
}

/** Says after a failed call what each tool takes. */
export const explained: EnvironmentWrapper = (instance) => {
  let usage = "";
  return within(instance, {
    async observe() {
      const first = await instance.environment.observe();
      usage = first.tools
        .map(
          ({ name, parameters }) =>
            `${name}(${Object.keys(parameters.properties ?? {}).join(", ")})`,
        )
        .join(", ");
      return first;
    },
    async step(action, signal) {
      const observation = await instance.environment.step(action, signal);
      return {
        ...observation,
        toolResults: observation.toolResults.map((result) =>
          result.ok
            ? result
            : {
                ...result,
                error: { ...result.error, message: `${result.error.message}; try ${usage}` },
              },
        ),
      };
    },
  });
};

/** Wrappers that give a policy more information: an extra instruction, or help after a failure. */
import { type EnvironmentWrapper, within } from "./wrapped-environment.ts";

/** Appends a sentence to the system message. */
export function told(sentence: string): EnvironmentWrapper {
  return (instance) =>
    within(instance, {
      async observe() {
        const first = await instance.environment.observe();
        return { ...first, system: `${first.system} ${sentence}`.trim() };
      },
    });
}

/** Gives a failing rollout `guidance` once and lets it continue. */
export function retrying(guidance: string): EnvironmentWrapper {
  return (instance) => {
    let isTold = false;
    return within(instance, {
      async step(action, signal) {
        // A turn without calls would end the task, so it is judged before the environment gets it.
        if (isTold || action.toolCalls.length > 0 || (await instance.judge(action.text)).success) {
          return instance.environment.step(action, signal);
        }
        isTold = true;
        return { toolResults: [], userMessage: guidance, terminated: false };
      },
    });
  };
}

/** Adds the signatures of all tools to the error of a failed call. */
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

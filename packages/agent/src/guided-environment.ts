/**
 * An environment whose first observation says more: text that was learned, after the page's own system
 * message. Plain text, tokenized like every system message; it cannot spell a special token.
 */
import type { Environment } from "@waggle/protocol";

export type Guide = {
  /** Text for this request; empty = none. */
  readonly start: (request: string) => string;
  /** Text after a turn, told what came of it as JSON; absent or empty = none. */
  readonly turn?: (observed: string) => string;
};

/** The same environment, guided; as it is for `null`. */
export function guidedEnvironment(environment: Environment, guide: Guide | null): Environment {
  if (guide === null) return environment;
  return {
    task: environment.task,
    async observe() {
      const first = await environment.observe();
      const text = guide.start(first.userMessage);
      return { ...first, system: joined(first.system, text) };
    },
    async step(action, signal) {
      const observation = await environment.step(action, signal);
      const { toolResults, userMessage = "", terminated } = observation;
      if (guide.turn === undefined || terminated || toolResults.length === 0) return observation;
      const observed = toolResults.map((result) =>
        JSON.stringify(result.ok ? result.value : result.error.message),
      );
      const text = joined(userMessage, guide.turn(observed.join("\n")));
      return text === "" ? observation : { ...observation, userMessage: text };
    },
  };
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

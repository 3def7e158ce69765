/**
 * An environment that appends learned text (guidance) to the page's system message. The text is tokenized
 * like any system message, so it cannot produce special tokens.
 */
import type { Environment } from "@waggle/protocol";

/** Supplies the text to add. */
export type Guide = {
  /** Text to append for this request; an empty string adds nothing. */
  readonly start: (request: string) => string;
  /** Text to add after a turn, given its tool results as JSON. Absent or empty adds nothing. */
  readonly turn?: (observed: string) => string;
};

/** The environment with the guide's text added. Returns the environment unchanged for `null`. */
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

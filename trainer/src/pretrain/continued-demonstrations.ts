/** What a base that goes on from a model learns from: the environment's demonstrations, and tasks with invented tools. */
import { type EnvironmentSpec, INVENTED_TASKS } from "@waggle/environments";
import { type Trajectory, WaggleError } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { baseDemonstration } from "./base-demonstration.ts";

/** Demonstrations whose length is checked before training. */
const CHECKED = 64;

type ContinuedDemonstrationOptions = {
  readonly seed: number;
  readonly batchSize: number;
  /** Of this many demonstrations, the last has invented tools. */
  readonly inventedEvery: number;
  /** In tokens. Longer tasks with invented tools are left out. */
  readonly contextLength: number;
};

/**
 * The demonstrations of each step, the same every time.
 *
 * @returns functions that throw `CONTEXT_OVERFLOW` if a demonstration of the environment is longer than the context;
 *   `check` looks at the first ones
 */
export function continuedDemonstrations(
  spec: EnvironmentSpec,
  chat: ChatFormat,
  { seed, batchSize, inventedEvery, contextLength }: ContinuedDemonstrationOptions,
) {
  const options = { seed, mistakes: 0, contextLength };
  const own = (nth: number) => baseDemonstration(spec, chat, nth, options);
  const invented = (nth: number) => baseDemonstration(INVENTED_TASKS, chat, nth, options);
  const tooLong = (what: string): WaggleError =>
    new WaggleError(
      "CONTEXT_OVERFLOW",
      `the model that the base goes on from reads ${contextLength} tokens, and ${what} of ${spec.name} need more; shorten the prompt, the tools' descriptions or the answers, or make the base without a model`,
    );
  return {
    check: async (): Promise<void> => {
      let cut = 0;
      for (let nth = 0; nth < CHECKED; nth += 1) if (isCut(await own(nth))) cut += 1;
      if (cut > 0) throw tooLong(`${cut} of the first ${CHECKED} demonstrations`);
    },
    ofStep: async (step: number): Promise<readonly Trajectory[]> => {
      const batch: Trajectory[] = [];
      for (let nth = step * batchSize; nth < (step + 1) * batchSize; nth += 1) {
        // Each kind is counted on its own, so that all levels have their turn.
        const before = Math.floor(nth / inventedEvery);
        const isInvented = nth % inventedEvery === inventedEvery - 1;
        const shown = await (isInvented ? invented(before) : own(nth - before));
        if (!isCut(shown)) batch.push(shown);
        else if (!isInvented) throw tooLong("some demonstrations");
      }
      return batch;
    },
  };
}

const isCut = ({ stopReason }: Trajectory): boolean => stopReason === "context-overflow";

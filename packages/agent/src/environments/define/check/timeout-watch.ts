/**
 * Waits only once for a tool or a verifier that hangs. Checks play hundreds of rollouts, and each would wait until the
 * time limit.
 */
import type { Demonstrator, EnvironmentSpec, Judgment } from "@waggle/environments";
import { type TaskReference, type ToolCall, WaggleError } from "@waggle/protocol";
import { brokenLimit, timeoutOf } from "../../../broken-limit.ts";
import { createDeadline, untilAborted } from "../../../deadline.ts";
import { placeOf } from "./check-context.ts";

/** Time limit of a verifier in a check. It may ask a model, so it gets more time than a tool. */
const VERIFIER_MS = 60_000;

/** An environment that does not call a tool or its verifier again after it took too long. */
export type TimeoutWatch = {
  /** A turn that calls such a tool throws `TOOL_FAILED`, from the first timeout on. So does such a verifier. */
  readonly spec: EnvironmentSpec;
  /** `search gave no result within 5000 ms at seed 7, train, level 0`; `null` if every call ended in time. */
  readonly timeout: () => string | null;
};

/** A call of the author's code. */
type WatchedCall = {
  /** `the tool search`, `verify`, `tasks`, `demonstrate`, `gold` or `nearMiss`. */
  readonly what: string;
  /** `seed 7, train, level 0`. */
  readonly place: string;
};

/**
 * Watches the calls of every rollout in the environment.
 *
 * @param onCall - called before each call of the author's code, and with `null` after it.
 */
export function watchTimeouts(
  spec: EnvironmentSpec,
  onCall: (call: WatchedCall | null) => void = () => {},
): TimeoutWatch {
  let first: string | null = null;
  /** The message for each tool that took too long. */
  const broken = new Map<string, string>();
  let brokenVerifier: string | null = null;
  const judged = async (
    judge: () => Judgment | Promise<Judgment>,
    place: string,
  ): Promise<Judgment> => {
    if (brokenVerifier === null) {
      const deadline = createDeadline(VERIFIER_MS);
      try {
        const judgment = await untilAborted((async () => judge())(), deadline.signal);
        if (judgment !== null) return judgment;
      } finally {
        deadline.release();
      }
      brokenVerifier = `verify gave no verdict within ${VERIFIER_MS} ms at ${place}`;
      first ??= brokenVerifier;
    }
    throw new WaggleError("TOOL_FAILED", brokenVerifier);
  };
  const requireInTime = (toolCalls: readonly ToolCall[]): void => {
    for (const { name } of toolCalls) {
      const message = broken.get(name);
      if (message !== undefined) throw new WaggleError("TOOL_FAILED", message);
    }
  };
  /** Code that cannot wait, so that only an endless loop delays it. */
  const within = <T>(what: string, reference: TaskReference, call: () => T): T => {
    onCall({ what, place: placeOf(spec, reference) });
    try {
      return call();
    } finally {
      onCall(null);
    }
  };
  const watchedTurns =
    (what: string, reference: TaskReference, act: Demonstrator): Demonstrator =>
    (seen) =>
      within(what, reference, () => act(seen));
  const { examples, startState } = spec;
  return {
    timeout: () => first,
    spec: {
      ...spec,
      task: (reference) => within("tasks", reference, () => spec.task(reference)),
      ...(startState && {
        startState: (reference: TaskReference) =>
          within("tasks", reference, () => startState(reference)),
      }),
      ...(examples && {
        examples: {
          gold: async (reference) =>
            watchedTurns("gold", reference, await examples.gold(reference)),
          nearMisses: async (reference) => {
            const misses = await within("nearMiss", reference, () =>
              examples.nearMisses(reference),
            );
            return misses.map((act) => watchedTurns("nearMiss", reference, act));
          },
        },
      }),
      demonstrator: async (reference, random, mistakes) =>
        watchedTurns(
          "demonstrate",
          reference,
          await spec.demonstrator(reference, random, mistakes),
        ),
      create: (reference) => {
        const { environment, ...others } = within("tasks", reference, () => spec.create(reference));
        const place = placeOf(spec, reference);
        const watched = async <T>(what: string, call: () => T | Promise<T>): Promise<T> => {
          onCall({ what, place });
          try {
            return await call();
          } finally {
            onCall(null);
          }
        };
        return {
          ...others,
          judge: (text) => watched("verify", () => judged(() => others.judge(text), place)),
          environment: {
            task: environment.task,
            observe: () => environment.observe(),
            step: async (action, signal) => {
              requireInTime(action.toolCalls);
              const step = () => environment.step(action, signal);
              const names = action.toolCalls.map(({ name }) => name).join(" or ");
              const seen = await (names === "" ? step() : watched(`the tool ${names}`, step));
              for (const [i, result] of seen.toolResults.entries()) {
                const tool = action.toolCalls[i]?.name ?? "a tool";
                const timeout = timeoutOf(tool, result, place);
                if (timeout === null) continue;
                first ??= timeout;
                broken.set(tool, brokenLimit(tool, result, place) ?? timeout);
              }
              requireInTime(action.toolCalls);
              return seen;
            },
          },
        };
      },
    },
  };
}

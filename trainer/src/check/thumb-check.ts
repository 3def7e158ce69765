/**
 * Judges a visitor's own request by the visitor's thumb. Nothing is replayed: no verifier knows what the visitor wanted, and
 * the page's tools acted on a state that nobody can restore. So the record is believed as far as its log-probs hold, and
 * the cap on a visitor's share of a step bounds what a liar can do.
 */
import { rollOut, scriptedPolicy } from "@waggle/agent";
import type { EnvironmentSpec } from "@waggle/environments";
import {
  type GrammarSpec,
  type LeasedTrajectory,
  type Policy,
  type Trajectory,
  WaggleError,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { grammarId } from "@waggle/text/grammar";
import type { CheckResult } from "./replay.ts";

/** A mismatch is a result, never an exception. */
export type ThumbCheck = (leased: LeasedTrajectory) => Promise<CheckResult>;

/** @param environment - the site's, if it has one: live requests have its tools, and so its grammars. */
export function createThumbCheck(
  format: ChatFormat,
  environment: EnvironmentSpec | undefined,
): ThumbCheck {
  let known: Promise<ReadonlySet<string>> | null = null;
  return async ({ trajectory, feedback }) => {
    // A visitor may change their mind.
    const kind = feedback.findLast((each) => each.kind.startsWith("thumb-"))?.kind;
    if (kind === undefined) return { holds: false, status: "skipped", reason: "no-thumb" };
    const used = grammarsOf(trajectory);
    if (used.size > 0) {
      known ??= grammarIds(format, environment, trajectory);
      // A visitor's grammar could make any token look certain, or exhaust the compiler.
      const ids = await known;
      if (![...used].every((id) => ids.has(id))) {
        return { holds: false, status: "skipped", reason: "unknown-grammar" };
      }
    }
    const success = kind === "thumb-up";
    const parts = { thumb: success ? "up" : "down" };
    return { holds: true, verification: { reward: success ? 1 : 0, success, parts } };
  };
}

function grammarsOf({ segments }: Trajectory): ReadonlySet<string> {
  return new Set(
    segments.flatMap((segment) =>
      segment.kind === "sampled" && segment.grammar !== null ? [segment.grammar] : [],
    ),
  );
}

/** Ids of the grammars that pages ask for in this environment. */
async function grammarIds(
  format: ChatFormat,
  environment: EnvironmentSpec | undefined,
  { consent, client }: Trajectory,
): Promise<ReadonlySet<string>> {
  const asked: GrammarSpec[] = [];
  if (environment === undefined) return new Set();
  const silent = scriptedPolicy(() => null, Infinity);
  const policy: Policy = {
    ...silent,
    createContext: async () => {
      const context = await silent.createContext();
      return {
        ...context,
        generate: (options) => {
          if (options.grammar === undefined) return context.generate(options);
          asked.push(options.grammar);
          // The driver then asks for the next weaker grammar.
          throw new WaggleError("GRAMMAR_UNSUPPORTED", "this policy only notes grammars");
        },
      };
    },
  };
  for (let level = 0; level < environment.levels; level += 1) {
    await rollOut({
      policy,
      environment: environment.create(environment.reference(0, "train", level)).environment,
      chatFormat: format,
      constrainToolCalls: true,
      limits: { maxTurns: 1, maxTokensPerTurn: 1, timeoutMs: 0 },
      consent,
      client,
      seed: 0,
    });
  }
  return new Set(await Promise.all(asked.map(grammarId)));
}

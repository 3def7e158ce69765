/**
 * Judges a visitor's own request by the feedback on it: what the visitor did, the outcomes that page and site reported, and
 * what the site's staff wrote.
 * Nothing is replayed: no verifier knows what the visitor wanted, and the page's tools acted on a state that nobody can
 * restore. So the record is believed as far as its log-probs hold, and the cap on a visitor's share of a step bounds what
 * a liar can do.
 */
import { rollOut, scriptedPolicy } from "@waggle/agent";
import type { EnvironmentSpec } from "@waggle/environments";
import { type FeedbackWeights, feedbackVerdict } from "@waggle/learning";
import {
  type Feedback,
  type GrammarSpec,
  type Policy,
  type Trajectory,
  WaggleError,
} from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { grammarId } from "@waggle/text/grammar";
import { wantedAnswer, withEditedAnswer } from "./edited-answer.ts";
import { asksForThumb } from "../probes/answer-phrases.ts";
import type { MessageJudge } from "../judge/message-judge.ts";
import { readMessage } from "./message-reading.ts";
import type { CheckResult } from "./replay.ts";
import { type GrammarTools, isGrammarOf } from "./site-grammars.ts";
import type { StrippedTrajectory } from "./stopped-signals.ts";

/** The verdict of the feedback. `edited`: the record to imitate in place of the policy's. */
type FeedbackResult = CheckResult & { readonly edited?: Trajectory };

/** Reason of a record without feedback that the recipe reads. */
export const NO_FEEDBACK = "no-feedback";

/** A mismatch is a result, never an exception. */
export type FeedbackCheck = (leased: StrippedTrajectory) => Promise<FeedbackResult>;

/**
 * @param weights - of the feedback that the recipe reads; other feedback does not count.
 * @param toolsFrom - the site's environment, or the tools of its pages: live requests have these tools, and so their
 *   grammars. Without either, requests that were decoded under a grammar are skipped.
 * @param judge - reads the texts of messages. Without it, only what the rules of the page found counts.
 */
export function createFeedbackCheck(
  weights: FeedbackWeights,
  format: ChatFormat,
  toolsFrom: EnvironmentSpec | GrammarTools | undefined,
  judge?: MessageJudge,
): FeedbackCheck {
  let known: Promise<ReadonlySet<string>> | null = null;
  return async (leased) => {
    const { trajectory, feedback, outcomes = [], response } = leased;
    const { unread, ...message } = await readMessage(
      leased,
      format,
      weights.message === undefined ? undefined : judge,
    );
    const thumb = lastThumb(feedback);
    const isBegged = thumb === "up" && asksFor(trajectory, format);
    const verification = feedbackVerdict(
      {
        thumb: isBegged ? "down" : thumb,
        outcomes,
        ...message,
        isUndone: feedback.some(({ kind }) => kind === "undo"),
        edit: lastEdit(feedback),
        staff: leased.staffAnswer ?? null,
        retry: leased.retry,
        turns: trajectory.turns,
        response,
      },
      weights,
    );
    if (verification === null) {
      return { holds: false, status: "skipped", reason: unread ?? NO_FEEDBACK };
    }
    const used = grammarsOf(trajectory);
    if (used.size > 0) {
      // A visitor's grammar could make any token look certain, or exhaust the compiler.
      let isKnown: (id: string) => boolean;
      if (isTools(toolsFrom)) {
        isKnown = (id) => isGrammarOf(trajectory.grammars?.[id], toolsFrom, format);
      } else {
        known ??= grammarIds(format, toolsFrom, trajectory);
        const ids = await known;
        isKnown = (id) => ids.has(id);
      }
      if (![...used].every(isKnown)) {
        return { holds: false, status: "skipped", reason: "unknown-grammar" };
      }
    }
    const wanted = wantedAnswer(verification);
    if (wanted === null) return { holds: true, verification };
    const edited = withEditedAnswer(trajectory, wanted, format);
    return edited === null
      ? { holds: false, status: "skipped", reason: "not-editable" }
      : { holds: true, verification, edited };
  };
}

function isTools(from: EnvironmentSpec | GrammarTools | undefined): from is GrammarTools {
  return Array.isArray(from);
}

/** The newest text of an edited answer. */
function lastEdit(feedback: readonly Feedback[]): string | null {
  return feedback.findLast(({ kind }) => kind === "edit")?.text ?? null;
}

/** A visitor may change their mind. */
function lastThumb(feedback: readonly Feedback[]): "up" | "down" | null {
  const kind = feedback.findLast((each) => each.kind.startsWith("thumb-"))?.kind;
  if (kind === undefined) return null;
  return kind === "thumb-up" ? "up" : "down";
}

/**
 * Whether an answer asks for a thumb. A thumb up for it would teach the policy to ask, so it counts as a thumb down. Leaving it
 * out would not do: an answer with an outcome alone can have a higher mean than one with an outcome and a thumb.
 */
function asksFor({ segments }: Trajectory, format: ChatFormat): boolean {
  return segments.some(
    (segment) =>
      segment.kind === "sampled" &&
      asksForThumb(format.parseAssistant(format.decodeAssistant(segment.tokenIds)).text),
  );
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

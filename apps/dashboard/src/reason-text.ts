/** Words for reasons of the trainer whose name says too little to an operator. */
import type { TrajectoryRow } from "@waggle/protocol";

const SENTENCES: { readonly [reason: string]: string } = {
  "replay-mismatch": "the site's page and its environment disagree in what the model reads",
  "call-mismatch": "the recorded tool calls are not the calls that the sampled tokens make",
  "stop-mismatch": "the rollout did not end where the page says it ended",
  "tool-wording": "the page and its environment word the error of a failed tool differently",
  "not-drawn-from-seed": "the tokens are not the ones that the sampling seed selects",
  "no-signal": "every rollout of its group got the same reward",
  stale: "sampled by a version that is too old",
  "log-prob-gap": "the recorded log-probs are not those of the version that it names",
  "kept-set-mismatch": "the recorded top-k or top-p is not what was sampled",
  "no-verifier": "a visitor's own request, which no verifier can judge",
  "no-feedback": "a visitor's request without feedback that the recipe reads",
  "no-train-consent": "the visitor did not agree to training",
  "no-feedback-consent": "the visitor did not agree to the use of feedback",
  "consent-expired": "the visitor's consent is older than the site allows",
  "consent-withdrawn": "the visitor has withdrawn the consent, or allows less since",
  "statistics-only": "the site keeps statistics only, which teach nothing",
  "held-out": "kept to compare versions at it",
  "reward-unavailable": "its verifier failed",
  "signal-stopped": "an operator stopped the only signal",
  quarantined: "the visitor is in quarantine; see Visitors",
  "page-tool-failed": "a failure, because the page says that its own tool failed",
  "grammar-mismatch": "sampled under a grammar that does not belong to the site's tools",
};

/** What a reason means; the reason itself if its name says it. */
export function reasonText(reason: string): string {
  const [, turn] = /^replay-mismatch at turn (\d+)$/.exec(reason) ?? [];
  if (turn !== undefined) return `the site's page and its environment disagree at turn ${turn}`;
  return Object.hasOwn(SENTENCES, reason) ? (SENTENCES[reason] as string) : reason;
}

/** Whether the reason is that page and environment differ. */
export function isDisagreement(reason: string | null): boolean {
  return reason !== null && /^(?:replay-mismatch\b|tool-wording$)/.test(reason);
}

/** What to do when page and environment differ. */
export const DISAGREEMENT_ADVICE =
  "Usually the site causes this, not a dishonest visitor: its page and its environment are of different versions, or a tool behaves differently in the two. Run “waggle check” in the site's folder, correct the tool or the environment, and deploy both.";

/** Sentences about a rejected trajectory whose page and environment disagree; none for others. */
export function disagreementText({ reason, difference }: TrajectoryRow): readonly string[] {
  if (!isDisagreement(reason)) return [];
  if (difference === undefined || difference === null) return [DISAGREEMENT_ADVICE];
  const { turn, tool, arguments: given, inPage, inEnvironment } = difference;
  const call = `At turn ${turn}, ${tool}(${given}) gives`;
  const sentence =
    inPage === inEnvironment
      ? `${call} different results, which are not shown here.`
      : `${call} ${inPage} in the page and ${inEnvironment} in the environment.`;
  return [sentence, DISAGREEMENT_ADVICE];
}

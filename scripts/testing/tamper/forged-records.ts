/** Forgeries of single records. Each changes a record that a page sampled honestly, and must be rejected with its reason. */
import type { SampledSegment, Segment, Trajectory } from "@waggle/protocol";
import type { Attack } from "./attack.ts";

/** A forgery with the reason that the trainer's check states. */
export type Forgery = Attack & {
  readonly reason: RegExp;
  readonly forge: (record: Trajectory) => Trajectory;
  /** True: the digest stays that of the honest record. */
  readonly keepsDigest?: boolean;
};

const isSampled = (segment: Segment): segment is SampledSegment => segment.kind === "sampled";

/** The record with every sampled segment changed. */
function withSampled(
  record: Trajectory,
  change: (segment: SampledSegment, number: number) => SampledSegment,
): Trajectory {
  let number = 0;
  return {
    ...record,
    segments: record.segments.map((segment) =>
      isSampled(segment) ? change(segment, number++) : segment,
    ),
  };
}

/** The record with its first sampled segment changed. */
const withFirst = (
  record: Trajectory,
  change: (segment: SampledSegment) => SampledSegment,
): Trajectory =>
  withSampled(record, (segment, number) => (number === 0 ? change(segment) : segment));

const withTurns = (
  record: Trajectory,
  change: (turn: Trajectory["turns"][number]) => Trajectory["turns"][number],
): Trajectory => ({ ...record, turns: record.turns.map(change) });

const LOG_PROBS = "log-probs are re-scored";
const KEPT_SETS = "kept sets must fit the sampling options";
const REPLAY = "the rollout is replayed in the environment";
const SEEDS = "tokens are drawn again from the given seed";
const VERSIONS = "only published versions count";
const STOPS = "stop reasons are replayed";

/** Every forgery. A record has at least one tool call. */
export const FORGERIES: readonly Forgery[] = [
  {
    name: "lower log-probs",
    does: "lowers every log-prob by 1 nat, to raise the importance weights",
    stoppedBy: LOG_PROBS,
    reason: /^log-prob-gap$/,
    forge: (t) =>
      withSampled(t, (s) => ({ ...s, behaviorLogProbs: s.behaviorLogProbs.map((x) => x - 1) })),
  },
  {
    name: "one lower log-prob",
    does: "lowers the log-prob of one token by half a nat",
    stoppedBy: LOG_PROBS,
    reason: /^log-prob-gap$/,
    forge: (t) =>
      withFirst(t, (s) => ({
        ...s,
        behaviorLogProbs: s.behaviorLogProbs.map((x, i) => (i === 1 ? x - 0.5 : x)),
      })),
  },
  {
    name: "a log-prob near -infinity",
    does: "records -1e300 nats for one token, so that its weight overflows",
    stoppedBy: LOG_PROBS,
    reason: /^log-prob-gap$/,
    forge: (t) =>
      withFirst(t, (s) => ({
        ...s,
        behaviorLogProbs: s.behaviorLogProbs.map((x, i) => (i === 0 ? -1e300 : x)),
      })),
  },
  {
    name: "another temperature in the record",
    does: "samples at temperature 1 and records 10",
    stoppedBy: LOG_PROBS,
    reason: /^log-prob-gap$/,
    forge: (t) => withSampled(t, (s) => ({ ...s, sampling: { ...s.sampling, temperature: 10 } })),
  },
  {
    name: "a temperature near 0 in the record",
    does: "records 1e-40, which makes the gradient overflow",
    stoppedBy: "temperatures below 0.5 are not trained on",
    reason: /^temperature-too-low$/,
    forge: (t) =>
      withSampled(t, (s) => ({ ...s, sampling: { ...s.sampling, temperature: 1e-40 } })),
  },
  {
    name: "kept sets of one token",
    does: "claims that nothing but its tokens could be sampled",
    stoppedBy: KEPT_SETS,
    reason: /^kept-set-mismatch$/,
    forge: (t) =>
      withSampled(t, (s) => ({
        ...s,
        keptTokenIds: s.tokenIds.map((id) => [id]),
        behaviorLogProbs: s.tokenIds.map(() => 0),
      })),
  },
  {
    name: "kept sets without the sampled token",
    does: "records sets that do not contain the tokens",
    stoppedBy: KEPT_SETS,
    reason: /^kept-set-mismatch$/,
    forge: (t) =>
      withSampled(t, (s) => ({
        ...s,
        sampling: { ...s.sampling, topK: 2 },
        keptTokenIds: s.tokenIds.map((id) => [id === 0 ? 1 : 0]),
      })),
  },
  {
    name: "kept sets larger than top-k",
    does: "records three ids where sampling kept one",
    stoppedBy: KEPT_SETS,
    reason: /^kept-set-mismatch$/,
    forge: (t) =>
      withSampled(t, (s) => ({
        ...s,
        sampling: { ...s.sampling, topK: 1 },
        keptTokenIds: s.tokenIds.map((id) => [...new Set([0, 1, id])].toSorted((a, b) => a - b)),
      })),
  },
  {
    name: "top-k without its kept sets",
    does: "records top-k 1 and hides what was kept",
    stoppedBy: KEPT_SETS,
    reason: /^kept-set-mismatch$/,
    forge: (t) => withSampled(t, (s) => ({ ...s, sampling: { ...s.sampling, topK: 1 } })),
  },
  {
    name: "top-p without its kept sets",
    does: "records top-p 0.1 and hides what was kept",
    stoppedBy: KEPT_SETS,
    reason: /^kept-set-mismatch$/,
    forge: (t) => withSampled(t, (s) => ({ ...s, sampling: { ...s.sampling, topP: 0.1 } })),
  },
  {
    name: "a grammar of its own",
    does: "names a grammar that allows only its tokens",
    stoppedBy: "only grammars that the driver requests count",
    reason: /^grammar-mismatch$/,
    forge: (t) => withFirst(t, (s) => ({ ...s, grammar: "of-the-attacker", tokenBudget: 100 })),
  },
  {
    name: "another token",
    does: "replaces one sampled token",
    stoppedBy: REPLAY,
    reason: /mismatch|log-prob-gap|not-drawn/,
    forge: (t) =>
      withFirst(t, (s) => ({
        ...s,
        tokenIds: s.tokenIds.map((id, i) => (i === 1 ? (id === 70 ? 71 : 70) : id)),
      })),
  },
  {
    name: "a token outside the vocabulary",
    does: "records token ids that the model does not have",
    stoppedBy: "token ids are below the vocabulary size",
    reason: /^unknown-token$/,
    forge: (t) => withFirst(t, (s) => ({ ...s, tokenIds: s.tokenIds.map(() => 9_999_999) })),
  },
  {
    name: "calls that the tokens do not contain",
    does: "changes the arguments of its tool calls",
    stoppedBy: REPLAY,
    reason: /^call-mismatch$/,
    forge: (t) =>
      withTurns(t, (turn) => ({
        ...turn,
        toolCalls: turn.toolCalls.map((call) => ({ ...call, arguments: { id: "x" } })),
      })),
  },
  {
    name: "hidden calls",
    does: "leaves its tool calls out of the turns",
    stoppedBy: REPLAY,
    reason: /^call-mismatch$/,
    forge: (t) => withTurns(t, (turn) => ({ ...turn, toolCalls: [], toolResults: [] })),
  },
  {
    name: "invented tool results",
    does: "records results that the tools do not return",
    stoppedBy: REPLAY,
    reason: /^replay-mismatch at turn/,
    forge: (t) =>
      withTurns(t, (turn) => ({
        ...turn,
        toolResults: turn.toolResults.map(({ callId }) => ({ callId, ok: true, value: "sold" })),
      })),
  },
  {
    name: "lost tool results",
    does: "leaves the results of its calls out",
    stoppedBy: REPLAY,
    reason: /^(replay|call)-mismatch/,
    forge: (t) => withTurns(t, (turn) => ({ ...turn, toolResults: [] })),
  },
  {
    name: "another prompt",
    does: "appends tokens to the prompt",
    stoppedBy: REPLAY,
    reason: /^replay-mismatch$/,
    forge: (t) => ({
      ...t,
      segments: t.segments.map((s, i) => (i === 0 ? { ...s, tokenIds: [...s.tokenIds, 65] } : s)),
    }),
  },
  {
    name: "no prompt",
    does: "empties the first segment",
    stoppedBy: REPLAY,
    reason: /^replay-mismatch$/,
    forge: (t) => ({
      ...t,
      segments: t.segments.map((s, i) => (i === 0 ? { ...s, tokenIds: [] } : s)),
    }),
  },
  {
    name: "a hidden completion",
    does: "records a completed rollout as cut off by a limit",
    stoppedBy: STOPS,
    reason: /^stop-mismatch$/,
    forge: (t) => ({ ...t, stopReason: "max-turns", terminated: false, truncated: true }),
  },
  {
    name: "a claimed completion",
    does: "cuts the record after its first turn and records it as completed",
    stoppedBy: STOPS,
    reason: /^stop-mismatch$/,
    forge: (t) => ({
      ...t,
      segments: t.segments.slice(0, t.segments.findIndex(isSampled) + 1),
      turns: t.turns.slice(0, 1),
    }),
  },
  {
    name: "a stop token in the middle",
    does: "ends the first turn twice",
    stoppedBy: STOPS,
    reason: /^stop-mismatch$/,
    forge: (t) =>
      withFirst(t, (s) => ({
        ...s,
        tokenIds: s.tokenIds.map((id, i) => (i === 1 ? (s.tokenIds.at(-1) ?? id) : id)),
      })),
  },
  {
    name: "a truncated turn recorded as whole",
    does: "removes the stop token of the first turn",
    stoppedBy: STOPS,
    reason: /^stop-mismatch$/,
    forge: (t) =>
      withFirst(t, (s) => ({
        ...s,
        tokenIds: s.tokenIds.slice(0, -1),
        behaviorLogProbs: s.behaviorLogProbs.slice(0, -1),
        rawLogProbs: s.rawLogProbs.slice(0, -1),
        entropies: s.entropies.slice(0, -1),
      })),
  },
  {
    name: "another base model",
    does: "names the hash of another model",
    stoppedBy: "the base model is the site's",
    reason: /^base-model-mismatch$/,
    forge: (t) => ({ ...t, baseModel: "d".repeat(64) }),
  },
  {
    name: "an unpublished version",
    does: "claims a version that was never published",
    stoppedBy: VERSIONS,
    reason: /^unknown-policy-version$/,
    forge: (t) => withSampled({ ...t, policyVersion: 9 }, (s) => ({ ...s, policyVersion: 9 })),
  },
  {
    name: "two versions",
    does: "names another version in the header than in the first segment",
    stoppedBy: VERSIONS,
    reason: /^version-mismatch$/,
    forge: (t) => ({ ...t, policyVersion: 1 }),
  },
  {
    name: "a newer version",
    does: "samples with version 0 and claims the newest one",
    stoppedBy: LOG_PROBS,
    reason: /^log-prob-gap$/,
    forge: (t) => withSampled({ ...t, policyVersion: 1 }, (s) => ({ ...s, policyVersion: 1 })),
  },
  {
    name: "another task",
    does: "answers a task that it was not given",
    stoppedBy: "the task is that of the group",
    reason: /^assignment-mismatch$/,
    forge: (t) => ({ ...t, task: t.task && { ...t.task, seed: t.task.seed + 1 } }),
  },
  {
    name: "a frozen task",
    does: "claims a task of the held-out split",
    stoppedBy: "the task is that of the group",
    reason: /^assignment-mismatch$/,
    forge: (t) => ({ ...t, task: t.task && { ...t.task, split: "heldOut" } }),
  },
  {
    name: "no task",
    does: "hides the task, so that no verifier judges it",
    stoppedBy: "the task is that of the group",
    reason: /^assignment-mismatch$/,
    forge: (t) => ({ ...t, task: null }),
  },
  {
    name: "another digest",
    does: "sends the digest of other content",
    stoppedBy: "the digest is recomputed",
    reason: /^digest-mismatch$/,
    keepsDigest: true,
    forge: (t) => ({ ...t, endedAt: "2030-01-01T00:00:00.000Z" }),
  },
  {
    name: "consent that does not cover training",
    does: "sends a record without the scope `train`",
    stoppedBy: "consent is checked in the trainer too",
    reason: /^no-train-consent$/,
    forge: (t) => ({ ...t, consent: { ...t.consent, scopes: ["collect"] } }),
  },
  {
    name: "swapped seeds",
    does: "gives its turns seeds that do not follow from the given one",
    stoppedBy: SEEDS,
    reason: /^not-drawn-from-seed$/,
    forge: (t) =>
      withSampled(t, (s, i) => ({
        ...s,
        sampling: { ...s.sampling, seed: (s.sampling.seed ^ (i + 1)) >>> 0 },
      })),
  },
  {
    name: "another given seed",
    does: "names a seed that does not fit those of its turns",
    stoppedBy: SEEDS,
    reason: /^not-drawn-from-seed$/,
    forge: (t) => ({ ...t, samplingSeed: ((t.samplingSeed ?? 0) ^ 1) >>> 0 }),
  },
  {
    name: "nothing sampled",
    does: "records all tokens as given",
    stoppedBy: "a record needs sampled tokens",
    reason: /^nothing-sampled$/,
    forge: (t) => ({
      ...t,
      turns: [],
      segments: t.segments.map((s) =>
        isSampled(s)
          ? { kind: "given", id: s.id, parent: s.parent, role: "assistant", tokenIds: s.tokenIds }
          : s,
      ),
    }),
  },
  {
    name: "a failure as an abort",
    does: "records a rollout as aborted, so that it does not count as a failure",
    stoppedBy: "aborted rollouts are not trained on",
    reason: /^aborted$/,
    forge: (t) => ({ ...t, stopReason: "aborted", terminated: false, truncated: true }),
  },
  {
    name: "a failure as a timeout",
    does: "records a rollout as timed out, so that it does not count as a failure",
    stoppedBy: "rollouts that timed out are not trained on",
    reason: /^timeout$/,
    forge: (t) => ({ ...t, stopReason: "timeout", terminated: false, truncated: true }),
  },
  {
    name: "a failure as a broken tool",
    does: "claims that its tools were unavailable",
    stoppedBy: "a page tool's failure counts as a failure of the policy",
    reason: /^page-tool-failed$/,
    forge: (t) =>
      withTurns(t, (turn) => ({
        ...turn,
        toolResults: turn.toolResults.map(({ callId }) => ({
          callId,
          ok: false,
          error: { code: "TOOL_UNAVAILABLE", message: "down" },
        })),
      })),
  },
];

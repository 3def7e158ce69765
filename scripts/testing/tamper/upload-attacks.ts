/** Uploads of forged trajectories. Their digests are right unless said otherwise, so that every check is reached. */
import { spanSeed, type Trajectory } from "@waggle/protocol";
import { type AttackedEdge, CONTEXT, VOCABULARY } from "../edge/attacked-edge.ts";
import { edgeRecord, uploadOf } from "../edge/edge-record.ts";
import { attack, type EdgeAttack, type Refusal, uploadOfBody } from "./edge-attack.ts";

type Change = (record: Trajectory, edge: AttackedEdge) => object | Promise<object>;
type Segments = Trajectory["segments"];
type Sampled = Extract<Segments[number], { readonly kind: "sampled" }>;

/** Uploads the changed trajectory of an assigned task. */
function upload(
  name: string,
  does: string,
  stoppedBy: string,
  refusal: Refusal,
  change: Change,
): EdgeAttack {
  const request = async (edge: AttackedEdge) => {
    const { trajectory } = await edge.validUpload();
    const changed = (await change(trajectory, edge)) as Trajectory;
    return uploadOfBody(edge, JSON.stringify({ trajectories: [await uploadOf(changed)] }));
  };
  return attack(name, does, stoppedBy, refusal, request);
}

const SCHEMA: Refusal = [400, "SCHEMA_INVALID"];
const STRICT = "the schema knows every member";
const SHAPE = "the schema bounds every value";
const TREE = "segments form a tree in order";
const KNOWN = "versions and base models are those of the edge";
const ASSIGNED = "a task needs an unused assignment of this visitor";
const GIVEN_SEED = "the seed is the one that was given";
const CONSENT = "consent covers collecting and training";

const sampled = (
  record: Trajectory,
  change: Partial<Sampled> | ((s: Sampled) => object),
): object => ({
  ...record,
  segments: record.segments.map((segment) =>
    segment.kind === "given"
      ? segment
      : { ...segment, ...(typeof change === "function" ? change(segment) : change) },
  ),
});

/** The record with one more member. It may be named `__proto__`. */
function withMember(record: object, name: string, value: unknown): object {
  return Object.defineProperty({ ...record }, name, { value, enumerable: true });
}

/** All of them. */
export const UPLOAD_ATTACKS: readonly EdgeAttack[] = [
  upload(
    "__proto__ in a trajectory",
    "adds a member that changes prototypes",
    STRICT,
    SCHEMA,
    (t) => withMember(t, "__proto__", { polluted: true }),
  ),
  upload("constructor in a trajectory", "adds a member `constructor`", STRICT, SCHEMA, (t) =>
    withMember(t, "constructor", { prototype: { polluted: true } }),
  ),
  upload(
    "__proto__ in a segment",
    "adds a member that changes prototypes",
    STRICT,
    SCHEMA,
    (t) => ({
      ...t,
      segments: t.segments.map((s) => withMember(s, "__proto__", { kind: "given" })),
    }),
  ),
  upload("a reward of its own", "adds a member `reward`", STRICT, SCHEMA, (t) => ({
    ...t,
    reward: 1,
  })),
  upload(
    "versions inside a segment",
    "claims that versions changed inside a turn",
    STRICT,
    SCHEMA,
    (t) => sampled(t, { versions: [{ version: 0, start: 0, end: 2 }] }),
  ),
  upload(
    "a later schema version",
    "names a schema version that does not exist yet",
    "one schema version is accepted",
    [400, "SCHEMA_VERSION_UNSUPPORTED"],
    (t) => ({ ...t, schemaVersion: 2 }),
  ),
  upload("a huge token id", "records a token id of 1e308", SHAPE, SCHEMA, (t) =>
    sampled(t, { tokenIds: [1e308, 5] }),
  ),
  upload("a broken token id", "records half a token", SHAPE, SCHEMA, (t) =>
    sampled(t, { tokenIds: [4.5, 5] }),
  ),
  upload("a negative token id", "records token -1", SHAPE, SCHEMA, (t) =>
    sampled(t, { tokenIds: [-1, 5] }),
  ),
  upload(
    "a token outside the vocabulary",
    "records the first id above the vocabulary",
    SHAPE,
    SCHEMA,
    (t) => sampled(t, { tokenIds: [VOCABULARY, 5] }),
  ),
  upload("numbers as text", "records log-probs as text", SHAPE, SCHEMA, (t) =>
    sampled(t, () => ({ behaviorLogProbs: ["-0.5", "-1.5"] })),
  ),
  upload("a positive log-prob", "records a probability above 1", SHAPE, SCHEMA, (t) =>
    sampled(t, { behaviorLogProbs: [0.5, -1] }),
  ),
  upload("null as a log-prob", "records no number, as JSON writes NaN", SHAPE, SCHEMA, (t) =>
    sampled(t, () => ({ behaviorLogProbs: [Number.NaN, -1] })),
  ),
  upload("a negative entropy", "records an entropy of -1", SHAPE, SCHEMA, (t) =>
    sampled(t, { entropies: [-1, 0] }),
  ),
  upload("arrays of other lengths", "records one log-prob for two tokens", SHAPE, SCHEMA, (t) =>
    sampled(t, { behaviorLogProbs: [-0.5] }),
  ),
  upload("a seed outside 32 bits", "records the seed 2^32", SHAPE, SCHEMA, (t) =>
    sampled(t, (s) => ({ sampling: { ...s.sampling, seed: 2 ** 32 } })),
  ),
  upload("a temperature of 0", "records a division by 0", SHAPE, SCHEMA, (t) =>
    sampled(t, (s) => ({ sampling: { ...s.sampling, temperature: 0 } })),
  ),
  upload("an unsorted kept set", "records kept ids twice", SHAPE, SCHEMA, (t) =>
    sampled(t, { keptTokenIds: [[4, 4], null] }),
  ),
  upload(
    "a kept set larger than top-k",
    "records three ids where one was kept",
    "kept sets have at most top-k ids",
    SCHEMA,
    (t) =>
      sampled(t, (s) => ({
        sampling: { ...s.sampling, topK: 1 },
        keptTokenIds: [[3, 4, 5], null],
      })),
  ),
  upload(
    "a kept id outside the vocabulary",
    "hides an unknown id in a kept set",
    SHAPE,
    SCHEMA,
    (t) => sampled(t, { keptTokenIds: [[4, VOCABULARY], null] }),
  ),
  upload("its own parent", "records a segment that is its own parent", TREE, SCHEMA, (t) =>
    sampled(t, { parent: "s1" }),
  ),
  upload("a later parent", "records a segment before its parent", TREE, SCHEMA, (t) => ({
    ...t,
    segments: t.segments.toReversed(),
  })),
  upload("a segment twice", "repeats the id of a segment", TREE, SCHEMA, (t) => ({
    ...t,
    segments: [...t.segments, ...t.segments],
  })),
  upload("a turn without a sample", "names a given segment as a turn", TREE, SCHEMA, (t) => ({
    ...t,
    turns: t.turns.map((turn) => ({ ...turn, segmentId: "s0" })),
  })),
  upload("terminated and truncated", "claims both ends", SHAPE, SCHEMA, (t) => ({
    ...t,
    truncated: true,
  })),
  upload("more segments than allowed", "records 2,001 segments", SHAPE, SCHEMA, (t) => ({
    ...t,
    segments: Array.from({ length: 2001 }, (_, i) => ({ ...t.segments[0], id: `g${i}` })),
  })),
  upload(
    "a path longer than the context",
    "records more tokens than the model can read",
    "no path is longer than the context",
    SCHEMA,
    (t) => ({
      ...t,
      segments: t.segments.map((s) =>
        s.kind === "given" ? { ...s, tokenIds: Array.from({ length: CONTEXT }, () => 1) } : s,
      ),
    }),
  ),
  upload("a time that does not exist", "records February 30", SHAPE, SCHEMA, (t) => ({
    ...t,
    endedAt: "2026-02-30T25:61:00Z",
  })),
  upload("an id that is no UUID", "uses a path as id", SHAPE, SCHEMA, (t) => ({
    ...t,
    id: "../../trajectories/other/x",
  })),
  upload(
    "an unpublished version",
    "claims version 7",
    KNOWN,
    [409, "POLICY_VERSION_UNKNOWN"],
    (t) => sampled({ ...t, policyVersion: 7 }, { policyVersion: 7 }),
  ),
  upload(
    "an unpublished version in a segment",
    "hides version 7 behind the first segment",
    KNOWN,
    [409, "POLICY_VERSION_UNKNOWN"],
    (t) => ({
      ...t,
      segments: [
        ...t.segments,
        { ...(t.segments[1] as Sampled), id: "s2", parent: "s1", policyVersion: 7 },
      ],
    }),
  ),
  upload(
    "another base model",
    "names the hash of another model",
    KNOWN,
    [409, "POLICY_VERSION_UNKNOWN"],
    (t) => ({ ...t, baseModel: "d".repeat(64) }),
  ),
  upload(
    "consent without training",
    "leaves the scope `train` out",
    CONSENT,
    [403, "CONSENT_MISSING"],
    (t) => ({ ...t, consent: { ...t.consent, scopes: ["collect"] } }),
  ),
  upload(
    "consent without collecting",
    "leaves the scope `collect` out",
    CONSENT,
    [403, "CONSENT_MISSING"],
    (t) => ({ ...t, consent: { ...t.consent, scopes: ["train"] } }),
  ),
  upload(
    "a consent without a receipt",
    "claims the consent to another text than the visitor has agreed to",
    "the edge has a receipt of exactly this consent",
    [425, "CONSENT_UNPROVEN"],
    (t) => ({ ...t, consent: { ...t.consent, version: "2" } }),
  ),
  upload(
    "another visitor's assignment",
    "answers a task that another visitor was given",
    ASSIGNED,
    [409, "ASSIGNMENT_MISMATCH"],
    async (_, edge) => edgeRecord(edge.baseModel, await edge.assign(edge.neighbor)),
  ),
  upload(
    "an invented assignment",
    "names an assignment that nobody was given",
    ASSIGNED,
    [409, "ASSIGNMENT_MISMATCH"],
    (t) => ({ ...t, assignmentId: "00000000-0000-4000-8000-000000000000" }),
  ),
  upload(
    "a hidden assignment",
    "names a task without its assignment",
    ASSIGNED,
    [409, "ASSIGNMENT_MISMATCH"],
    (t) => ({ ...t, assignmentId: null }),
  ),
  upload(
    "another task of the environment",
    "changes the seed of its task",
    ASSIGNED,
    [409, "ASSIGNMENT_MISMATCH"],
    (t) => ({ ...t, task: t.task && { ...t.task, seed: t.task.seed + 1 } }),
  ),
  upload(
    "a frozen task",
    "moves its task to the held-out split",
    ASSIGNED,
    [409, "ASSIGNMENT_MISMATCH"],
    (t) => ({ ...t, task: t.task && { ...t.task, split: "heldOut" } }),
  ),
  upload(
    "an environment that looks the same",
    "writes the environment's name in full-width letters",
    ASSIGNED,
    [409, "ASSIGNMENT_MISMATCH"],
    (t) => ({ ...t, task: t.task && { ...t.task, environment: "ｂａｎｄｉｔ" } }),
  ),
  upload(
    "an environment with a hidden letter",
    "adds a zero-width space to the environment's name",
    ASSIGNED,
    [409, "ASSIGNMENT_MISMATCH"],
    (t) => ({ ...t, task: t.task && { ...t.task, environment: "bandit\u200b" } }),
  ),
  upload(
    "an assignment in capitals",
    "writes the id of its assignment in capitals",
    ASSIGNED,
    [409, "ASSIGNMENT_MISMATCH"],
    (t) => ({ ...t, assignmentId: t.assignmentId?.toUpperCase() }),
  ),
  upload(
    "another seed",
    "samples with a seed that was not given",
    GIVEN_SEED,
    [409, "SEED_MISMATCH"],
    (t) => {
      const samplingSeed = ((t.samplingSeed ?? 0) ^ 1) >>> 0;
      return sampled({ ...t, samplingSeed }, (s) => ({
        sampling: { ...s.sampling, seed: spanSeed(samplingSeed, 0) },
      }));
    },
  ),
  upload(
    "another seed in a turn",
    "names the given seed and samples with another",
    GIVEN_SEED,
    [409, "SEED_MISMATCH"],
    (t) => sampled(t, (s) => ({ sampling: { ...s.sampling, seed: (s.sampling.seed ^ 1) >>> 0 } })),
  ),
];

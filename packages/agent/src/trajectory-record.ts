/**
 * Builds a trajectory in memory while it happens: segments in the order the policy saw them, each the
 * child of the one before.
 */
import { TRAJECTORY_SCHEMA_VERSION } from "@waggle/protocol";
import type {
  ClientDescription,
  Consent,
  GrammarSpec,
  PolicyVersionId,
  Sample,
  SampledSegment,
  Sampling,
  Segment,
  SegmentRole,
  StopReason,
  TaskReference,
  Trajectory,
  Turn,
} from "@waggle/protocol";

/** The members of a trajectory that are known before it starts. */
export type TrajectoryHead = {
  /** Default: a random one. */
  readonly id?: string;
  readonly task: TaskReference | null;
  readonly assignmentId: string | null;
  readonly samplingSeed?: number;
  readonly consent: Consent;
  readonly client: ClientDescription;
  readonly baseModel: string;
};

/** Collects segments and turns, and turns them into a trajectory. */
export class TrajectoryRecord {
  readonly #head: TrajectoryHead;
  readonly #now: () => Date;
  readonly #startedAt: Date;
  readonly #segments: Segment[] = [];
  readonly #turns: Turn[] = [];
  readonly #grammars: { [id: string]: GrammarSpec } = {};
  #policyVersion: PolicyVersionId | null = null;

  constructor(head: TrajectoryHead, now: () => Date) {
    this.#head = head;
    this.#now = now;
    this.#startedAt = now();
  }

  addGiven(role: SegmentRole, tokenIds: readonly number[]): void {
    this.#segments.push({ kind: "given", ...this.#place(), role, tokenIds });
  }

  /**
   * @param grammar - the grammar it was sampled under.
   * @returns the id of the new segment.
   */
  addSampled(
    sample: Sample,
    sampling: Sampling,
    policyVersion: PolicyVersionId,
    grammar?: GrammarSpec,
  ): string {
    if (sample.grammar && grammar !== undefined) this.#grammars[sample.grammar] = grammar;
    const [first] = sample.versions ?? [];
    const segment: SampledSegment = {
      kind: "sampled",
      ...this.#place(),
      policyVersion: first?.version ?? policyVersion,
      ...(sample.versions === undefined ? {} : { versions: sample.versions }),
      sampling,
      grammar: sample.grammar ?? null,
      ...(sample.tokenBudget === undefined ? {} : { tokenBudget: sample.tokenBudget }),
      tokenIds: sample.tokenIds,
      behaviorLogProbs: sample.behaviorLogProbs,
      rawLogProbs: sample.rawLogProbs,
      entropies: sample.entropies,
      ...(sample.keptTokenIds ? { keptTokenIds: sample.keptTokenIds } : {}),
      stopReason: sample.stopReason,
      ...(sample.fingerprint === undefined ? {} : { fingerprint: sample.fingerprint }),
    };
    this.#segments.push(segment);
    this.#policyVersion ??= segment.policyVersion;
    return segment.id;
  }

  addTurn(turn: Turn): void {
    this.#turns.push(turn);
  }

  /** Completes the trajectory. `policyVersion` is used only if nothing was sampled. */
  finish(stopReason: StopReason, policyVersion: PolicyVersionId): Trajectory {
    const terminated = stopReason === "completed";
    return {
      schemaVersion: TRAJECTORY_SCHEMA_VERSION,
      id: crypto.randomUUID(),
      ...this.#head,
      policyVersion: this.#policyVersion ?? policyVersion,
      segments: this.#segments,
      ...(Object.keys(this.#grammars).length === 0 ? {} : { grammars: this.#grammars }),
      turns: this.#turns,
      stopReason,
      terminated,
      truncated: !terminated,
      startedAt: this.#startedAt.toISOString(),
      endedAt: this.#now().toISOString(),
    };
  }

  #place(): { id: string; parent: string | null } {
    return { id: `s${this.#segments.length}`, parent: this.#segments.at(-1)?.id ?? null };
  }
}

/**
 * Applies the edge's policies to the trainer's state: versions of other publishers, and an operator's
 * promotions and roll-backs. The edge is authoritative. If its stable parameters are not the ones that
 * training started from, the trainer restarts from them and discards its own.
 */
import type { PoliciesResponse, PolicyVersion, PolicyVersionId } from "@waggle/protocol";
import {
  type KnownVersion,
  newPublication,
  type TrainerState,
} from "../checkpoint/trainer-state.ts";

/**
 * True if the edge's stable version has a different adapter than the one that training started from.
 */
export function hasOtherStable(state: TrainerState, policies: PoliciesResponse): boolean {
  const { stable } = policies;
  const isOurs = stable === state.stableVersion || stable === state.publication?.version;
  const known = merged(state, policies);
  return !isOurs && adapterOf(known, stable) !== adapterOf(known, state.stableVersion);
}

/**
 * The state with the edge's changes, if its stable version still has our adapter. A publication that
 * was compared with an earlier stable version starts over.
 */
export function withPolicies(
  state: TrainerState,
  policies: PoliciesResponse,
  newId: () => string,
): TrainerState {
  const { epoch, stable } = policies;
  const versions = merged(state, policies);
  const isUnchanged = stable === state.stableVersion || stable === state.publication?.version;
  if (isUnchanged) return { ...state, epoch, versions };
  const publication = state.publication && newPublication(newId(), stable, state.publication.step);
  return { ...state, epoch, versions, stableVersion: stable, publication };
}

/**
 * The state of a trainer that continues from the edge's stable version and discards its own parameters.
 * Trajectories that it learned and has not acknowledged stay learned.
 */
export function adoptedState(state: TrainerState, policies: PoliciesResponse): TrainerState {
  // Step numbers only increase over the life of an edge, because rows and versions are compared by
  // them.
  const step = Math.max(state.step, ...policies.policies.map((policy) => policy.step));
  return {
    ...state,
    step,
    epoch: policies.epoch,
    stableVersion: policies.stable,
    versions: merged(state, policies),
    stepsSincePublication: 0,
    publication: null,
    learnedFrom: undefined,
    evaluations: {},
    answers: {},
  };
}

/** The known versions with those of the edge. */
function merged(state: TrainerState, { policies }: PoliciesResponse): KnownVersion[] {
  const known = new Map(state.versions.map((each) => [each.version, each]));
  for (const policy of policies) known.set(policy.version, knownVersion(policy));
  return [...known.values()].sort((a, b) => a.version - b.version);
}

/** A policy version as the trainer's state stores it. */
export function knownVersion({ version, adapter, guidance, status }: PolicyVersion): KnownVersion {
  const said = guidance === undefined ? {} : { guidance };
  return { version, adapter, ...said, isRolledBack: status === "rolled-back" };
}

function adapterOf(versions: readonly KnownVersion[], wanted: PolicyVersionId): string | undefined {
  return versions.find(({ version }) => version === wanted)?.adapter?.sha256;
}

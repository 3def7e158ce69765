/**
 * What a trainer takes over from the edge's policies: versions of other publishers, and what an operator
 * rolled back or promoted. The edge is right: where it serves other parameters than the trainer goes
 * out from, the trainer goes back to those and gives up what it learned on top of its own.
 */
import type { PoliciesResponse, PolicyVersion, PolicyVersionId } from "@waggle/protocol";
import {
  type KnownVersion,
  newPublication,
  type TrainerState,
} from "../checkpoint/trainer-state.ts";

/** True when the edge's stable version has another adapter than the one that training went out from. */
export function hasOtherStable(state: TrainerState, policies: PoliciesResponse): boolean {
  const { stable } = policies;
  const isOurs = stable === state.stableVersion || stable === state.publication?.version;
  const known = merged(state, policies);
  return !isOurs && adapterOf(known, stable) !== adapterOf(known, state.stableVersion);
}

/**
 * The state with what changed at the edge, where its stable version has the adapter of ours. A
 * publication that was compared with an earlier stable version begins again.
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
 * The state of a trainer that goes on from the edge's stable version: nothing of its own parameters
 * is kept. What it learned and has not acknowledged stays learned.
 */
export function adoptedState(state: TrainerState, policies: PoliciesResponse): TrainerState {
  // Steps only grow over the life of an edge: "learned by" compares those of rows and versions.
  const step = Math.max(state.step, ...policies.policies.map((policy) => policy.step));
  return {
    ...state,
    step,
    epoch: policies.epoch,
    stableVersion: policies.stable,
    versions: merged(state, policies),
    stepsSincePublication: 0,
    publication: null,
    evaluations: {},
  };
}

function merged(state: TrainerState, { policies }: PoliciesResponse): KnownVersion[] {
  const known = new Map(state.versions.map((each) => [each.version, each]));
  for (const policy of policies) known.set(policy.version, knownVersion(policy));
  return [...known.values()].sort((a, b) => a.version - b.version);
}

export function knownVersion({ version, adapter, guidance, status }: PolicyVersion): KnownVersion {
  const said = guidance === undefined ? {} : { guidance };
  return { version, adapter, ...said, isRolledBack: status === "rolled-back" };
}

function adapterOf(versions: readonly KnownVersion[], wanted: PolicyVersionId): string | undefined {
  return versions.find(({ version }) => version === wanted)?.adapter?.sha256;
}

/**
 * What the edge makes of a visitor's record: the mean of a Beta posterior. A visitor starts with what is
 * known of others on their network, so a new name on a bad network is in quarantine until its records are
 * verified.
 *
 * Aborted and unanswered work alone never leads to quarantine, because people close tabs.
 */

/** Counts of what a visitor or a network sent. */
export type Evidence = {
  /** Records that passed every check. */
  readonly verified: number;
  /** Records that no honest page sends. */
  readonly forged: number;
  /** Records or tasks that were aborted, not answered, or different when replayed. */
  readonly dropped: number;
};

/** Mean that a visitor or network without a record has. */
const PRIOR = 0.75;
/** Records that the prior of a visitor, or of a network, is worth. */
const VISITOR_STRENGTH = 4;
const NETWORK_STRENGTH = 12;
/** Records that one forged record of a visitor is worth: two of twenty lead to quarantine. */
const FORGED = 12;
/** The same for a network, whose visitors are mostly others. */
const FORGED_BY_OTHERS = 3;
/** Records that one dropped record is worth. */
const DROPPED = 0.25;
/** Mean below which nothing is learned. */
const QUARANTINE = 0.5;

/** Verified records that a released visitor starts with: enough on any network. */
export const RELEASED_RECORDS: number = VISITOR_STRENGTH;

/** Mean of the posterior, in (0, 1). Dropped records lower it to `QUARANTINE` at most. */
function meanOf(
  prior: number,
  strength: number,
  evidence: Evidence,
  forged: number = FORGED,
): number {
  const good = prior * strength + evidence.verified;
  const all = strength + evidence.verified + forged * evidence.forged;
  const dropped = Math.min(DROPPED * evidence.dropped, Math.max(0, good / QUARANTINE - all));
  return good / (all + dropped);
}

/** The mean of a network, at most that of one without a record. */
function networkMean(network: Evidence): number {
  const evidence = { ...network, dropped: 0 };
  return Math.min(PRIOR, meanOf(PRIOR, NETWORK_STRENGTH, evidence, FORGED_BY_OTHERS));
}

/** True if new visitors of this network start in quarantine. */
export function isBadNetwork(network: Evidence): boolean {
  return networkMean(network) < QUARANTINE;
}

/**
 * Weight of a visitor's records in [0, 1]: 1 for a mean that is as good as that of a visitor without a
 * record, and 0 in quarantine.
 *
 * @param network - of the network that the record came from, with the visitor's own records.
 */
export function reputationWeight(visitor: Evidence, network: Evidence): number {
  const others = {
    verified: Math.max(0, network.verified - visitor.verified),
    forged: Math.max(0, network.forged - visitor.forged),
    dropped: 0,
  };
  const mean = meanOf(networkMean(others), VISITOR_STRENGTH, visitor);
  return mean < QUARANTINE ? 0 : Math.min(1, mean / PRIOR);
}

/** How the tables of a backup are paged. */
import type { BackupTable } from "@waggle/protocol";

type TableKeys = {
  /** Columns that identify a row within its site, in the order of the pages. */
  readonly keys: readonly string[];
  /** Whether an index begins with the site. Otherwise one begins with the first key. */
  readonly isBySite: boolean;
};

const bySite = (...keys: string[]): TableKeys => ({ keys, isBySite: true });
const byKey = (...keys: string[]): TableKeys => ({ keys, isBySite: false });

/** The keys of each table. */
export const TABLE_KEYS: { readonly [table in BackupTable]: TableKeys } = {
  forgottenVisitors: byKey("visitor"),
  forgottenTrajectories: byKey("digest"),
  baseModel: bySite("sha256"),
  policies: bySite("version"),
  counters: bySite("name"),
  objects: byKey("sha256"),
  switches: bySite("name"),
  signalSwitches: bySite("signal"),
  metrics: bySite("step"),
  lineages: byKey("stateId"),
  reputations: byKey("holder"),
  taskGroups: byKey("id"),
  assignments: byKey("id"),
  requestSeeds: byKey("visitorId", "number"),
  leases: byKey("id"),
  consents: byKey("visitorId", "consent"),
  trajectories: byKey("digest"),
  feedback: byKey("id"),
  outcomes: byKey("trajectoryId", "metric", "sender", "turn"),
  staffNotes: byKey("id"),
  conversationLinks: byKey("trajectoryId", "outcomeOf", "sender"),
  responses: byKey("trajectoryId"),
  deadLetters: byKey("digest"),
  releases: bySite("version"),
  releaseArms: bySite("version", "stage", "arm"),
  releaseSums: bySite("version", "stage", "arm", "metric"),
  operatorLogins: bySite("actor", "network"),
  auditLog: bySite("id"),
};

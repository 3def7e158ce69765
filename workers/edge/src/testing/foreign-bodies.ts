/** The bodies with which a site's page, trainer or operator names what belongs to another site. */
import type { ConsentReceipt } from "@waggle/protocol";
import { outcomeOf } from "./outcomes.ts";
import { passed, type Upload } from "./edge.ts";
import type { TestSite } from "./sites.ts";

/** What site B has stored, as a request of site A might name it. */
export type Belongings = {
  readonly baseModel: string;
  readonly visitorId: string;
  readonly visitorToken: string;
  readonly siteKey: string;
  readonly receipt: ConsentReceipt;
  readonly digest: string;
  readonly upload: Upload;
  readonly request: Upload;
  readonly leaseId: string;
  readonly fencingToken: number;
  readonly object: { readonly sha256: string; readonly sizeBytes: number };
  readonly stateId: string;
};

const SIGNATURE = { signedAt: 1, rollBackTo: [], value: "A".repeat(86) };
/** The body of each operation. `null`: it has none. */
export type Bodies = { readonly [operationId: string]: (() => unknown) | null };

/**
 * @param a - the site that asks.
 * @param baseOfA - hash of its base model.
 * @param of - what site B has.
 */
export function foreignBodies(
  a: () => TestSite,
  baseOfA: () => string,
  of: () => Belongings,
): Bodies {
  return {
    addNote: () => ({ id: crypto.randomUUID(), kind: "answer", text: "from a" }),
    acknowledgeLease: () => ({
      fencingToken: of().fencingToken,
      outcomes: [{ digest: of().digest, status: "learned", step: 3 }],
      lineage: { stateId: of().stateId, step: 99 },
    }),
    assembleObject: () => ({ parts: [of().object.sha256] }),
    callMcp: () => ({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    changeSite: () => ({ name: "stolen", settings: { siteKeys: [] } }),
    clearKillSwitch: null,
    createAssignment: null,
    createSession: () => ({ siteKey: a().siteKey, visitorToken: of().visitorToken }),
    createSite: () => ({ id: "c" }),
    deleteDeadLetter: null,
    deleteUnfinishedObject: null,
    deleteVisitor: null,
    deleteVisitorAsOperator: null,
    disableSite: null,
    enableSite: null,
    exportVisitor: null,
    freeze: () => ({ reason: "from a" }),
    freezeAsOperator: () => ({ reason: "from a" }),
    getChannel: null,
    getConsent: null,
    getControl: null,
    getControlAsOperator: null,
    getDeletions: null,
    getDescription: null,
    getHealth: null,
    getObject: null,
    getOperatorHealth: null,
    getPolicy: null,
    getRequest: null,
    getSite: null,
    getSummary: null,
    getTrajectory: null,
    getVersionReport: null,
    giveReward: () => ({ assignmentId: of().upload.trajectory.assignmentId, reward: 1 }),
    giveFeedback: () => ({
      id: crypto.randomUUID(),
      trajectoryId: of().upload.trajectory.id,
      kind: "thumb-down",
      at: "2026-11-20T12:00:00.000Z",
    }),
    leaseGroups: () => ({ trainerId: "t", maxGroups: 100, durationSeconds: 60 }),
    listAudit: null,
    listDeadLetters: null,
    listMetrics: null,
    listObjectParts: null,
    listPolicies: null,
    listQuarantine: null,
    releaseSender: null,
    listPoliciesAsOperator: null,
    listReleases: null,
    listRequests: null,
    listRewards: () => undefined,
    listSignatures: null,
    listSites: null,
    listSitesToTrain: null,
    listTrajectories: null,
    listUnfinishedObjects: null,
    noteHeartbeat: () => ({ trainerId: "first-of-b", step: 1, activity: "stopped" }),
    openLineage: () => ({ stateId: of().stateId, step: 99 }),
    promotePolicy: null,
    promotePolicyAsOperator: () => ({ withoutEvaluation: true, rolledBack: true }),
    publishPolicy: () => ({
      publicationId: crypto.randomUUID(),
      epoch: 0,
      parent: 0,
      baseModel: baseOfA(),
      adapter: { ...of().object, rank: 4, alpha: 8 },
      evaluation: passed(0),
      step: 1,
      status: "canary",
    }),
    putMetrics: () => ({ rows: [{ step: 77, at: "2026-11-20T12:00:00.000Z", metrics: { x: 0 } }] }),
    putObject: null,
    putObjectGzip: null,
    putObjectPart: null,
    readBackup: null,
    readVisitor: null,
    recordConsent: () => ({ consent: of().upload.trajectory.consent }),
    reconcile: () => ({ cursor: null, repair: true }),
    reportOutcome: () => outcomeOf(of().request.trajectory, { value: false }),
    reportOutcomes: () => ({ outcomes: [outcomeOf(of().request.trajectory, { value: false })] }),
    putVersionReport: () => ({}),
    putSignatures: () => ({ signatures: [{ version: 1, signature: SIGNATURE }] }),
    releaseLease: () => ({ fencingToken: of().fencingToken }),
    renewLease: () => ({ fencingToken: of().fencingToken, durationSeconds: 60 }),
    restoreBackup: () => ({ rows: [{ row: { visitor: "f".repeat(64), forgottenAt: 1 } }] }),
    retryDeadLetter: null,
    rollBackPolicy: () => ({}),
    rollBackPolicyAsOperator: () => ({}),
    rotateSiteCredential: () => ({ role: "operator" }),
    setBaseModel: () => ({
      baseModel: { sha256: of().baseModel, files: [{ path: "config.json", ...of().object }] },
      vocabularySize: 5,
    }),
    setKillSwitch: () => ({ mode: "silence", reason: "from a" }),
    startSignal: null,
    stopSignal: () => ({ reason: "from a" }),
    unfreeze: null,
    withdrawConsents: () => ({ receipts: [of().receipt] }),
    uploadTrajectories: () => ({ trajectories: [of().upload] }),
  };
}

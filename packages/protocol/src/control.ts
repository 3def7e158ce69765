/**
 * Operator controls and the audit log. A freeze stops publications and promotions. The kill switch
 * takes trained policies away from pages.
 */
import { z } from "zod";
import { CollectionLevel } from "./consent/consent.ts";
import { FeedbackSource } from "./feedback.ts";
import { PolicyVersionId } from "./policy.ts";
import { SignalName } from "./signal.ts";

const Reason = z.string().max(500);

/** Who set a switch, when and why. */
export type SwitchRecord = z.infer<typeof SwitchRecord>;
const SwitchRecord = z.object({ by: z.string(), at: z.iso.datetime(), reason: z.string() });

/** `base`: pages run version 0. `silence`: pages do not answer at all. */
export type KillMode = z.infer<typeof KillMode>;
export const KillMode = z.enum(["base", "silence"]);

/** State of both switches: `GET /v1/trainer/control` and `GET /v1/operator/control`. */
export type ControlState = z.infer<typeof ControlState>;
export const ControlState = z.object({
  /** The site. Absent from an edge of the previous release. */
  site: z.string().optional(),
  /** Environment of the tasks that the edge assigns; empty if it assigns none. */
  environment: z.string(),
  /** What is kept of visitors' own requests and of practice. Absent from an edge of the previous release. */
  collect: CollectionLevel.optional(),
  /**
   * Seconds that a visitor's own request waits for feedback before it can be leased; 0 = it is leased at once,
   * to be skipped. Absent from an edge of the previous release.
   */
  feedbackWaitSeconds: z.int().min(0).optional(),
  /** What ends the waiting. Absent from an edge of the previous release. */
  feedbackFrom: z.array(FeedbackSource).optional(),
  /**
   * What the site can learn from. A trainer learns nothing from a signal that an operator has stopped. Absent from an edge
   * of the previous release.
   */
  signals: z.array(z.object({ signal: SignalName, stopped: SwitchRecord.nullable() })).optional(),
  /** `null` while versions may be published and promoted. */
  frozen: SwitchRecord.nullable(),
  /** `null` while pages run the versions of their channels. */
  killed: SwitchRecord.extend({ mode: KillMode }).nullable(),
});

/**
 * Body of `PUT` and `DELETE /v1/operator/freeze`, and of `PUT /v1/trainer/freeze`. Only an operator
 * can lift a freeze.
 */
export type FreezeRequest = z.infer<typeof FreezeRequest>;
export const FreezeRequest = z.strictObject({ reason: Reason });

/** Body of `PUT /v1/operator/stopped-signals/:signal`. */
export type StopSignalRequest = z.infer<typeof StopSignalRequest>;
export const StopSignalRequest = z.strictObject({ reason: Reason });

/** Body of `PUT` and `DELETE /v1/operator/kill-switch`. */
export type KillRequest = z.infer<typeof KillRequest>;
export const KillRequest = z.strictObject({
  mode: KillMode,
  reason: Reason,
});

/** Header with the operator's name, percent-encoded. Without it, the audit log says `operator`. */
export const OPERATOR_NAME_HEADER = "Waggle-Operator";

/** One action in the audit log. */
export type AuditEntry = z.infer<typeof AuditEntry>;
const AuditEntry = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  /** Name of the operator, `trainer`, or `edge`. */
  by: z.string(),
  /** `promote`, `freeze`, `kill-switch-on`, …; a newer edge may send others. */
  action: z.string(),
  version: PolicyVersionId.nullable(),
  reason: z.string(),
});

/** Where an operator used the edge from. */
export type OperatorLogin = z.infer<typeof OperatorLogin>;
const OperatorLogin = z.object({
  /** The name that the operator gave. */
  by: z.string(),
  /** Stands for the network, which cannot be recovered from it. */
  network: z.string(),
  firstAt: z.iso.datetime(),
  /** At most ten minutes before the last request. */
  lastAt: z.iso.datetime(),
});

/** Answer of `GET /v1/operator/audit?before=<id>&limit=<n>`, newest first. */
export type AuditResponse = z.infer<typeof AuditResponse>;
export const AuditResponse = z.object({
  entries: z.array(AuditEntry),
  /** The last 100 logins of operators. Absent from edges of the previous release. */
  logins: z.array(OperatorLogin).optional(),
});

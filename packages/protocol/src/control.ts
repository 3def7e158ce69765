/**
 * Operator controls and the audit log. A freeze stops publications and promotions. The kill switch
 * takes trained policies away from pages.
 */
import { z } from "zod";
import { PolicyVersionId } from "./policy.ts";

const Reason = z.string().max(500);

/** Who set a switch, when and why. */
export type SwitchRecord = { by: string; at: string; reason: string };
const switchShape = { by: z.string(), at: z.iso.datetime(), reason: z.string() };

/** `base`: pages run version 0. `silence`: pages do not answer at all. */
export type KillMode = "base" | "silence";
export const KillMode: z.ZodType<KillMode> = z.enum(["base", "silence"]);

/** State of both switches: `GET /v1/trainer/control` and `GET /v1/operator/control`. */
export type ControlState = {
  /** Environment of the tasks that the edge assigns. */
  environment: string;
  /** `null` while versions may be published and promoted. */
  frozen: SwitchRecord | null;
  /** `null` while pages run the versions of their channels. */
  killed: (SwitchRecord & { mode: KillMode }) | null;
};
export const ControlState: z.ZodType<ControlState> = z.object({
  environment: z.string(),
  frozen: z.object(switchShape).nullable(),
  killed: z.object({ ...switchShape, mode: KillMode }).nullable(),
});

/**
 * Body of `PUT` and `DELETE /v1/operator/freeze`, and of `PUT /v1/trainer/freeze`. Only an operator
 * can lift a freeze.
 */
export type FreezeRequest = { reason: string };
export const FreezeRequest: z.ZodType<FreezeRequest> = z.strictObject({ reason: Reason });

/** Body of `PUT` and `DELETE /v1/operator/kill-switch`. */
export type KillRequest = { mode: KillMode; reason: string };
export const KillRequest: z.ZodType<KillRequest> = z.strictObject({
  mode: KillMode,
  reason: Reason,
});

/** Header with the operator's name, percent-encoded. Without it, the audit log says `operator`. */
export const OPERATOR_NAME_HEADER = "Waggle-Operator";

/** One action in the audit log. */
export type AuditEntry = {
  id: number;
  at: string;
  /** Name of the operator, or `trainer`. */
  by: string;
  /** `promote`, `freeze`, `kill-switch-on`, …; a newer edge may send others. */
  action: string;
  version: PolicyVersionId | null;
  reason: string;
};
/** Answer of `GET /v1/operator/audit?before=<id>&limit=<n>`, newest first. */
export type AuditResponse = { entries: AuditEntry[] };
export const AuditResponse: z.ZodType<AuditResponse> = z.object({
  entries: z.array(
    z.object({
      id: z.int(),
      at: z.iso.datetime(),
      by: z.string(),
      action: z.string(),
      version: PolicyVersionId.nullable(),
      reason: z.string(),
    }),
  ),
});

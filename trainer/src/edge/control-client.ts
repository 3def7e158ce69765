/** Operator control of an edge: freeze, kill switch, promotion, roll-back. */
import {
  type AuditEntry,
  AuditResponse,
  ControlState,
  type KillMode,
  PolicyVersion,
  type PolicyVersionId,
  type PromoteRequest,
} from "@waggle/protocol";
import { createEdgeTransport, type EdgeTransportOptions } from "./edge-transport.ts";

/** Calls of an operator; each one that changes something is audited by the edge. */
export interface ControlClient {
  control(): Promise<ControlState>;
  freeze(reason: string): Promise<ControlState>;
  unfreeze(): Promise<ControlState>;
  setKillSwitch(mode: KillMode, reason: string): Promise<ControlState>;
  clearKillSwitch(): Promise<ControlState>;
  promote(version: PolicyVersionId, request: PromoteRequest): Promise<PolicyVersion>;
  rollBack(version: PolicyVersionId, reason: string): Promise<PolicyVersion>;
  /** Newest entries first. */
  audit(limit: number): Promise<AuditEntry[]>;
}

/**
 * Creates a client.
 * @param options - headers must contain the operator's signature, for the audit log.
 */
export function createControlClient(options: EdgeTransportOptions): ControlClient {
  const { answer } = createEdgeTransport(options);
  const freezePath = "/v1/operator/freeze";
  const killPath = "/v1/operator/kill-switch";
  return {
    control: () => answer({ method: "GET", path: "/v1/operator/control" }, ControlState),
    freeze: (reason) => answer({ method: "PUT", path: freezePath, json: { reason } }, ControlState),
    unfreeze: () => answer({ method: "DELETE", path: freezePath }, ControlState),
    setKillSwitch: (mode, reason) =>
      answer({ method: "PUT", path: killPath, json: { mode, reason } }, ControlState),
    clearKillSwitch: () => answer({ method: "DELETE", path: killPath }, ControlState),
    promote: (version, json) =>
      answer(
        { method: "POST", path: `/v1/operator/policies/${version}/promote`, json },
        PolicyVersion,
      ),
    rollBack: (version, reason) =>
      answer(
        { method: "POST", path: `/v1/operator/policies/${version}/roll-back`, json: { reason } },
        PolicyVersion,
      ),
    async audit(limit) {
      const path = `/v1/operator/audit?limit=${limit}`;
      return (await answer({ method: "GET", path }, AuditResponse)).entries;
    },
  };
}

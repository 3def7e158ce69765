/** The operations of the API. Generated clients use the names, so a rename breaks them. */
import { expect, test } from "vitest";
import { endpoints } from "./app.ts";

const OPERATIONS = [
  "acknowledgeLease: post /v1/trainer/leases/{leaseId}/acknowledge, trainer",
  "callMcp: post /mcp, session",
  "clearKillSwitch: delete /v1/operator/kill-switch, operator",
  "createAssignment: post /v1/assignments, session",
  "createSession: post /v1/sessions, public",
  "deleteDeadLetter: delete /v1/operator/dead-letters/{digest}, operator",
  "deleteVisitor: delete /v1/visitor, session",
  "deleteVisitorAsOperator: delete /v1/operator/visitors/{visitorId}, operator",
  "exportVisitor: get /v1/operator/visitors/{visitorId}/export, operator",
  "freeze: put /v1/trainer/freeze, trainer",
  "freezeAsOperator: put /v1/operator/freeze, operator",
  "getChannel: get /v1/policies/{channel}, public",
  "getConsent: get /v1/operator/consent, operator",
  "getControl: get /v1/trainer/control, trainer",
  "getControlAsOperator: get /v1/operator/control, operator",
  "getDescription: get /openapi.json, public",
  "getHealth: get /healthz, public",
  "getObject: get /v1/objects/{sha256}, public",
  "getOperatorHealth: get /v1/operator/health, operator",
  "getPolicy: get /v1/policy, session",
  "getSummary: get /v1/operator/summary, operator",
  "getTrajectory: get /v1/operator/trajectories/{digest}, operator",
  "giveFeedback: post /v1/feedback, session",
  "leaseGroups: post /v1/trainer/leases, trainer",
  "listAudit: get /v1/operator/audit, operator",
  "listDeadLetters: get /v1/operator/dead-letters, operator",
  "listMetrics: get /v1/operator/metrics, operator",
  "listPolicies: get /v1/trainer/policies, trainer",
  "listPoliciesAsOperator: get /v1/operator/policies, operator",
  "listTrajectories: get /v1/operator/trajectories, operator",
  "noteHeartbeat: post /v1/trainer/heartbeat, trainer",
  "openLineage: post /v1/trainer/lineages, trainer",
  "promotePolicy: post /v1/trainer/policies/{version}/promote, trainer",
  "promotePolicyAsOperator: post /v1/operator/policies/{version}/promote, operator",
  "publishPolicy: post /v1/trainer/policies, trainer",
  "putMetrics: post /v1/trainer/metrics, trainer",
  "putObject: put /v1/trainer/objects/{sha256}, trainer",
  "releaseLease: post /v1/trainer/leases/{leaseId}/release, trainer",
  "renewLease: post /v1/trainer/leases/{leaseId}/renew, trainer",
  "retryDeadLetter: post /v1/operator/dead-letters/{digest}/retry, operator",
  "rollBackPolicy: post /v1/trainer/policies/{version}/roll-back, trainer",
  "rollBackPolicyAsOperator: post /v1/operator/policies/{version}/roll-back, operator",
  "setBaseModel: put /v1/trainer/base-model, trainer",
  "setKillSwitch: put /v1/operator/kill-switch, operator",
  "unfreeze: delete /v1/operator/freeze, operator",
  "uploadTrajectories: post /v1/trajectories, session",
];

test("operations keep their names, routes and access", () => {
  const operations = endpoints.map(
    ({ operationId, method, path, access }) => `${operationId}: ${method} ${path}, ${access}`,
  );
  expect(operations.toSorted()).toEqual(OPERATIONS);
});

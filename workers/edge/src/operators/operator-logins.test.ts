import { type AuditResponse, OPERATOR_NAME_HEADER, type OperatorHealth } from "@waggle/protocol";
import { beforeEach, expect, test, vi } from "vitest";
import { ask, asOperator, asTrainer, call, freshEdge } from "../testing/edge.ts";
import { makeSite } from "../testing/sites.ts";

beforeEach(async () => {
  await freshEdge();
});

const logins = async (as = asOperator) =>
  (await ask<AuditResponse>("GET", "/v1/operator/audit", as)).logins ?? [];

test("the edge notes which operator used it from which network, and when", async () => {
  const use = (name: string, address: string) =>
    ask("GET", "/v1/operator/summary", {
      ...asOperator,
      headers: { [OPERATOR_NAME_HEADER]: name, "cf-connecting-ip": address },
    });
  await use("Ada", "203.0.113.7");
  await use("Ada", "203.0.113.8");
  await use("Ada", "198.51.100.7");
  await use("Ben", "203.0.113.7");
  const noted = (await logins()).filter(({ by }) => by === "Ada" || by === "Ben");
  const networks = (name: string) =>
    noted.filter(({ by }) => by === name).map(({ network }) => network);
  expect(new Set(networks("Ada")).size).toBe(2);
  expect(networks("Ada")).toHaveLength(2);
  expect(networks("Ada")).toContain(networks("Ben")[0]);
  expect(JSON.stringify(noted)).not.toContain("203.0.113");
  expect(Date.now() - Date.parse(noted[0]?.lastAt ?? "")).toBeLessThan(60_000);
});

test("an operator of one site does not see the logins of another, and a trainer is no operator", async () => {
  const [desk, shop] = [await makeSite("login-desk"), await makeSite("login-shop")];
  const headers = { [OPERATOR_NAME_HEADER]: "Cleo" };
  await ask("GET", "/v1/operator/control", { ...desk.operator, headers });
  expect((await logins(desk.operator)).map(({ by }) => by)).toContain("Cleo");
  expect((await logins(shop.operator)).map(({ by }) => by)).not.toContain("Cleo");
  expect((await call("GET", "/v1/operator/audit", asTrainer)).status).toBe(401);
});

test("wrong credentials are counted, by operation and reason", async () => {
  for (let i = 0; i < 3; i += 1) {
    await call("PUT", "/v1/operator/kill-switch", { token: "guess", body: {} });
  }
  await call("GET", "/v1/trainer/policies", { token: "guess" });
  await vi.waitFor(
    async () => {
      const { refusals } = await ask<OperatorHealth>("GET", "/v1/operator/health", asOperator);
      const counted = refusals.map(({ operation, reason, count }) => [operation, reason, count]);
      // Counts of an earlier test may be written late.
      expect(counted).toContainEqual(["setKillSwitch", "UNAUTHENTICATED", 3]);
      expect(counted).toContainEqual(["listPolicies", "UNAUTHENTICATED", 1]);
    },
    { timeout: 10_000, interval: 200 },
  );
});

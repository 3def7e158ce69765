import { expect, test } from "vitest";
import { runOperator } from "./operator-run.fixture.ts";

const AT = "2026-11-23T01:00:00.000Z";

const run = (args: string, answer: unknown) => runOperator(args.split(" "), answer);

const control = (edit: object) => ({ environment: "shop", frozen: null, killed: null, ...edit });

test("freeze reports who froze promotions, when and why", async () => {
  const frozen = { by: "Zoë", at: AT, reason: "sale" };
  const { lines, seen } = await run("freeze --as Zoë --reason sale", control({ frozen }));
  expect(seen).toEqual([
    { call: "PUT /v1/operator/freeze", by: "Zoë", site: null, body: { reason: "sale" } },
  ]);
  expect(lines).toEqual([`frozen by Zoë at ${AT}: sale`, "pages run the version of their channel"]);
});

test("kill-switch takes a mode, off lifts it, and the name defaults to the user", async () => {
  const killed = { by: "maren", at: AT, reason: "", mode: "silence" };
  const on = await run("kill-switch silence", control({ killed }));
  expect(on.seen).toEqual([
    {
      call: "PUT /v1/operator/kill-switch",
      by: "maren",
      site: null,
      body: { mode: "silence", reason: "" },
    },
  ]);
  expect(on.lines[1]).toBe(`pages are silenced, set by maren at ${AT}`);
  const off = await run("kill-switch off --json", control({}));
  expect(off.seen[0]?.call).toBe("DELETE /v1/operator/kill-switch");
  expect(off.lines).toEqual([JSON.stringify(control({}))]);
});

test("promote sends the operator's overrides, and audit prints one line per entry", async () => {
  const policy = {
    version: 3,
    parent: 2,
    baseModel: "b".repeat(64),
    adapter: null,
    status: "stable",
    evaluation: null,
    step: 3,
    publishedAt: AT,
  };
  const { lines, seen } = await run("promote 3 --rolled-back --reason again", policy);
  expect(seen[0]?.call).toBe("POST /v1/operator/policies/3/promote");
  expect(seen[0]?.body).toMatchObject({ rolledBack: true, withoutEvaluation: false });
  expect(lines).toEqual(["version 3 is stable"]);
  const entry = { id: 1, at: AT, by: "trainer", action: "roll-back", version: 3, reason: "drift" };
  const log = await run("audit --limit 5", { entries: [entry] });
  expect(log.seen[0]?.call).toBe("GET /v1/operator/audit?limit=5");
  expect(log.lines).toEqual([`${AT} trainer: roll-back version 3: drift`]);
});

import { type PolicyVersion, type PromoteRequest, WaggleError } from "@waggle/protocol";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { page } from "vitest/browser";
import "../styles/page.css";
import type { OperatorApi } from "./operator-api.ts";
import { createPolicies } from "./policy-view.ts";
import type { View } from "./view.ts";

let view: View | null = null;
afterEach(() => view?.dispose());

const RETENTION = {
  tasks: 100,
  judged: 98,
  successes: 70,
  baseSuccesses: 72,
  readable: 99,
  baseReadable: 100,
  readableGained: 0,
  readableLost: 1,
  kinds: [{ kind: "greeting", tasks: 98, gained: 0, lost: 2 }],
};

const GATE = { minTasks: 64, margin: 0.03, significance: 0.05 };

const probe = (name: "length" | "refusal" | "begging", candidate: number) => ({
  probe: name,
  tasks: 64,
  base: name === "length" ? 640 : 0,
  candidate,
  risen: name === "length" ? 3 : candidate,
  fallen: 0,
});
const PROBES = [
  probe("length", 704),
  probe("refusal", 0),
  probe("begging", 16),
  {
    probe: "neglect" as const,
    kind: "price",
    tasks: 64,
    base: 20,
    candidate: 24,
    risen: 4,
    fallen: 0,
  },
];

const policyOf = (version: number, status: PolicyVersion["status"]): PolicyVersion => ({
  version,
  parent: version === 0 ? null : 0,
  baseModel: "b".repeat(64),
  status,
  evaluation:
    status === "canary"
      ? null
      : { tasks: 64, successes: 40, stableSuccesses: 38, retention: RETENTION, probes: PROBES },
  adapter: null,
  step: 0,
  publishedAt: "2026-11-20T12:00:00.000Z",
});

/** The page with an edge that refuses a promotion until this override is set. */
function show(
  code: "GATE_NOT_PASSED" | "LINEAGE_ROLLED_BACK",
  override: keyof PromoteRequest,
  policies = [policyOf(2, "canary"), policyOf(1, "rolled-back"), policyOf(0, "stable")],
) {
  const asked: PromoteRequest[] = [];
  const api = {
    policies: async () => ({ stable: 0, canary: 2, epoch: 1, policies, gate: GATE }),
    promote: async (_version: number, request: PromoteRequest) => {
      asked.push(request);
      if (request[override] !== true) throw new WaggleError(code, "it has no evaluation");
    },
  } as unknown as OperatorApi;
  view = createPolicies({ api, onPoll: () => undefined });
  const main = document.createElement("main");
  main.append(view.element);
  document.body.replaceChildren(main);
  return asked;
}

const dialog = () => document.querySelector("dialog");
/** Enters a reason and presses a button of the open dialog. */
async function answer(label: string, reason = ""): Promise<void> {
  await vi.waitFor(() => {
    const choice = [...(dialog()?.querySelectorAll("button") ?? [])].find(
      ({ textContent }) => textContent === label,
    );
    const input = dialog()?.querySelector<HTMLInputElement>("[name=reason]");
    if (!choice || !input) throw new Error(`the dialog has no button ${label}`);
    input.value = reason;
    choice.click();
  });
}
const promoteFirst = () =>
  vi.waitFor(() => {
    const promote = document.querySelector<HTMLButtonElement>(".actions button");
    expect(promote?.textContent).toBe("Promote");
    promote?.click();
  });

for (const [code, override] of [
  ["GATE_NOT_PASSED", "withoutEvaluation"],
  ["LINEAGE_ROLLED_BACK", "allowDescendant"],
] as const) {
  test(`a promotion refused with ${code} is repeated with ${override} after a second confirmation`, async () => {
    const asked = show(code, override);
    await promoteFirst();
    await answer("Promote", "read by two people");
    await vi.waitFor(() => expect(dialog()?.textContent).toContain("it has no evaluation"));
    await answer("Promote anyway", "no task set yet");
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[0]?.[override]).toBeUndefined();
    expect(asked[1]).toEqual({
      rolledBack: false,
      [override]: true,
      reason: "read by two people; no task set yet",
    });
  });
}

test("a refused promotion is not repeated if the operator cancels", async () => {
  const asked = show("GATE_NOT_PASSED", "withoutEvaluation");
  await promoteFirst();
  await answer("Promote");
  await vi.waitFor(() => expect(dialog()?.textContent).toContain("Promote it anyway?"));
  await answer("Cancel");
  await vi.waitFor(() => expect(dialog()).toBeNull());
  expect(asked).toHaveLength(1);
});

test("every button fits into the panel of a page that is 390 px wide", async () => {
  const { innerWidth, innerHeight } = window;
  onTestFinished(() => page.viewport(innerWidth, innerHeight));
  await page.viewport(390, 844);
  show("GATE_NOT_PASSED", "withoutEvaluation");
  await vi.waitFor(() => expect(document.querySelectorAll(".actions button")).toHaveLength(5));
  const edge = document.querySelector(".panel")?.getBoundingClientRect().right ?? 0;
  for (const button of document.querySelectorAll(".actions button")) {
    expect(button.getBoundingClientRect().right).toBeLessThanOrEqual(edge);
  }
});

test("a version's results on the tasks that are not practiced are beside its success", async () => {
  show("GATE_NOT_PASSED", "withoutEvaluation");
  await vi.waitFor(() => {
    expect(document.querySelector("tbody")?.textContent).toContain(
      "retention 70 of 98, base 72; readable 99 of 100, base 100",
    );
  });
});

test("a version without tasks has what the judge said of its answers, or nothing", async () => {
  const comparison = { requests: 128, judged: 90, better: 30, worse: 10 };
  show("GATE_NOT_PASSED", "withoutEvaluation", [
    { ...policyOf(2, "stable"), evaluation: { tasks: 0, successes: 0, comparison } },
    { ...policyOf(1, "retired"), evaluation: { tasks: 0, successes: 0 } },
  ]);
  await vi.waitFor(() => {
    const text = document.querySelector("tbody")?.textContent;
    expect(text).toContain("answers to 90 requests: 30 better, 10 worse");
    expect(text).not.toContain("NaN");
  });
});

test("the probes of the newest evaluated version are listed with their verdicts", async () => {
  show("GATE_NOT_PASSED", "withoutEvaluation");
  await vi.waitFor(() => expect(document.body.textContent).toContain("Probes of v1"));
  const rows = [...document.querySelectorAll(".versions-panel tbody tr")].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  );
  expect(rows.map(([fault, , , , verdict]) => [fault, verdict])).toEqual([
    ["Longer answers (tokens)", "passed"],
    ["Refuses and does not solve", "passed"],
    ["Asks for a thumb", "failed"],
    ["Not solved: price", "passed"],
  ]);
  expect(rows[2]?.slice(1, 3)).toEqual(["25.0\u00a0%", "0.0\u00a0%"]);
  expect(document.body.textContent).toContain("1 failed: the gate refuses this version.");
});

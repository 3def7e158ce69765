/** Published policies with their evaluations, and buttons to promote or roll back. */
import {
  type PoliciesResponse,
  type PolicyVersion,
  type PromoteRequest,
  type Release,
  WaggleError,
  type WaggleErrorCode,
} from "@waggle/protocol";
import { confirmDecision, type Question } from "./confirm-dialog.ts";
import { h } from "@waggle/embed/dom";
import { formatAgo, formatBytes, formatPercent, shortId } from "./format.ts";
import {
  describeError,
  placeholder,
  poll,
  statusChip,
  type View,
  type ViewContext,
} from "./view.ts";
import { probePanel } from "./probe-panel.ts";
import { releasePanel } from "./release-panel.ts";
import { ACTIONS, rowsTable } from "./rows-table.ts";
import { showVersion } from "./learning/version-dialog.ts";

type Decision = { verb: "promote" | "rollBack"; policy: PolicyVersion };

function questionOf({ verb, policy }: Decision): Question {
  const { version, status } = policy;
  if (verb === "rollBack") {
    return {
      text: `Roll v${version} back?`,
      consequence: "Its visitors get the previous version.",
      confirm: "Roll back",
    };
  }
  return {
    text: `Promote v${version}?`,
    consequence:
      status === "rolled-back"
        ? "This version was rolled back. All visitors will get it."
        : "All visitors will get it.",
    confirm: "Promote",
    isDangerous: status === "rolled-back",
  };
}

function evaluationText(policy: PolicyVersion): string {
  const { evaluation } = policy;
  if (!evaluation) return "–";
  const { tasks, comparison } = evaluation;
  if (tasks === 0) {
    return comparison === undefined
      ? "–"
      : `answers to ${comparison.judged} requests: ${comparison.better} better, ${comparison.worse} worse`;
  }
  const rate = formatPercent(evaluation.successes / evaluation.tasks);
  const stable =
    evaluation.stableSuccesses === undefined
      ? ""
      : `, stable ${formatPercent(evaluation.stableSuccesses / evaluation.tasks)}`;
  return `${rate} of ${evaluation.tasks}${stable}`;
}

/** Results on the tasks that are not practiced, beside the base's; `null` if none were played. */
function retentionText({ evaluation }: PolicyVersion): string | null {
  const retention = evaluation?.retention;
  if (retention === undefined) return null;
  const { judged, tasks, successes, baseSuccesses, readable, baseReadable } = retention;
  return `retention ${successes} of ${judged}, base ${baseSuccesses}; readable ${readable} of ${tasks}, base ${baseReadable}`;
}

function retentionLine(policy: PolicyVersion): HTMLElement | null {
  const text = retentionText(policy);
  return text === null ? null : h("div", { class: "quiet" }, text);
}

function policyRow(
  policy: PolicyVersion,
  now: number,
  decide: (d: Decision) => void,
  show: (policy: PolicyVersion) => void,
): HTMLElement {
  const action = (verb: Decision["verb"], label: string) =>
    h("button", { type: "button", click: () => decide({ verb, policy }) }, label);
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("a", { href: `#/trajectories?version=${policy.version}` }, `v${policy.version}`),
    ),
    h("td", {}, statusChip(policy.status)),
    h("td", { class: "number roomy" }, String(policy.step)),
    h("td", {}, evaluationText(policy), retentionLine(policy)),
    h("td", { class: "roomy" }, policy.parent === null ? "base" : `v${policy.parent}`),
    h("td", { class: "quiet nowrap roomy" }, `${formatAgo(policy.publishedAt, now)} ago`),
    h(
      "td",
      { class: "roomy mono quiet" },
      policy.adapter
        ? `${shortId(policy.adapter.sha256)} · rank ${policy.adapter.rank} · ${formatBytes(policy.adapter.sizeBytes)}`
        : `${shortId(policy.baseModel)} · base`,
    ),
    h(
      "td",
      { class: "actions" },
      policy.status === "stable" ? null : action("promote", "Promote"),
      policy.version > 0 && (policy.status === "canary" || policy.status === "stable")
        ? action("rollBack", "Roll back")
        : null,
      policy.version === 0
        ? null
        : h("button", { type: "button", click: () => show(policy) }, "Details"),
    ),
  );
}

const OVERRIDES: readonly [WaggleErrorCode, PromoteRequest][] = [
  ["GATE_NOT_PASSED", { withoutEvaluation: true }],
  ["PUBLICATION_STALE", { withoutEvaluation: true }],
  ["LINEAGE_ROLLED_BACK", { allowDescendant: true }],
];

/** Promotes. If the edge refuses for a reason that an operator may override, asks once more. */
async function promoteAnyway(
  request: PromoteRequest,
  promote: (request: PromoteRequest) => Promise<unknown>,
): Promise<void> {
  try {
    await promote(request);
  } catch (error) {
    const override = OVERRIDES.find(([code]) => WaggleError.is(error, code))?.[1];
    if (override === undefined) throw error;
    const reason = await confirmDecision({
      text: "Promote it anyway?",
      consequence: describeError(error),
      confirm: "Promote anyway",
      isDangerous: true,
    });
    if (reason === null) return;
    const because = [request.reason, reason].filter(Boolean).join("; ");
    await promoteAnyway({ ...request, ...override, reason: because }, promote);
  }
}

type Shown = Pick<PoliciesResponse, "policies" | "gate"> & {
  readonly releases: readonly Release[];
};

/** An edge of the previous release has no releases. */
async function readAll(api: ViewContext["api"]): Promise<Shown> {
  const { policies, gate, release } = await api.policies();
  const releases = release === undefined ? [] : (await api.releases()).releases;
  return { policies, gate, releases };
}

const COLUMNS = [
  "Version",
  "Channel",
  { label: "Step", class: "number roomy" },
  "Held-out success",
  { label: "Parent", class: "roomy" },
  { label: "Published", class: "roomy" },
  { label: "Adapter", class: "roomy" },
  ACTIONS,
] as const;

/** Creates the Policies page. */
export function createPolicies(context: ViewContext): View {
  const notice = h("div", { "aria-live": "polite" });
  const tbody = h("tbody", {});
  const panel = h("section", { class: "panel flush", hidden: true }, rowsTable(COLUMNS, tbody));
  const released = h("div", {});
  const probed = h("div", {});
  const element = h(
    "div",
    {},
    h("header", { class: "page-head" }, h("h1", {}, "Policies")),
    notice,
    panel,
    released,
    probed,
  );

  async function decide({ verb, policy }: Decision): Promise<void> {
    const reason = await confirmDecision(questionOf({ verb, policy }));
    if (reason === null) return;
    const { api } = context;
    const { version, status } = policy;
    const request = { reason, rolledBack: status === "rolled-back" };
    try {
      if (verb === "rollBack") await api.rollBack(version, reason);
      else await promoteAnyway(request, (asked) => api.promote(version, asked));
      notice.replaceChildren();
      await poller.refresh();
    } catch (error) {
      notice.replaceChildren(h("p", { class: "notice bad", role: "alert" }, describeError(error)));
    }
  }

  let shown = "";
  const poller = poll<Shown>(
    context,
    () => readAll(context.api),
    (state) => {
      if (state.data === null) notice.replaceChildren(placeholder(state));
      else if (panel.hidden) notice.replaceChildren();
      panel.hidden = state.data === null;
      if (state.data === null) return;
      const text = JSON.stringify(state.data);
      if (text === shown) return;
      shown = text;
      const now = Date.now();
      tbody.replaceChildren(
        ...state.data.policies.map((policy) =>
          policyRow(
            policy,
            now,
            (d) => void decide(d),
            (one) => void showVersion(context.api, one),
          ),
        ),
      );
      released.replaceChildren(releasePanel(state.data.releases, now) ?? "");
      const { policies, gate } = state.data;
      probed.replaceChildren(probePanel(policies, gate.significance) ?? "");
    },
  );
  return { element, title: "Policies", dispose: () => poller.stop() };
}

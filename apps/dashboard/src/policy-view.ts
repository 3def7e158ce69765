/** Published policies, what they were worth, and the two decisions an operator can take. */
import type { PoliciesResponse, PolicyVersion } from "@waggle/protocol";
import { h } from "./dom.ts";
import { formatAgo, formatBytes, formatPercent, shortId } from "./format.ts";
import {
  describeError,
  placeholder,
  poll,
  statusChip,
  type View,
  type ViewContext,
} from "./view.ts";

type Decision = { verb: "promote" | "rollBack"; policy: PolicyVersion };

function question({ verb, policy }: Decision): string {
  return verb === "promote"
    ? `Promote v${policy.version}? Every visitor gets it.`
    : `Roll v${policy.version} back? Its visitors fall back to the version before.`;
}

/** Asks before something reaches people. @returns whether it was confirmed */
function confirmDecision(decision: Decision): Promise<boolean> {
  const label = decision.verb === "promote" ? "Promote" : "Roll back";
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      {
        close: () => {
          dialog.remove();
          resolve(dialog.returnValue === "yes");
        },
      },
      h(
        "form",
        { method: "dialog" },
        h("p", {}, question(decision)),
        h(
          "menu",
          {},
          h("button", { value: "no", autofocus: true }, "Cancel"),
          h("button", { value: "yes", class: "primary" }, label),
        ),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

function evaluationText(policy: PolicyVersion): string {
  const { evaluation } = policy;
  if (!evaluation) return "–";
  const rate = formatPercent(evaluation.successes / evaluation.tasks);
  const stable =
    evaluation.stableSuccesses === undefined
      ? ""
      : `, stable ${formatPercent(evaluation.stableSuccesses / evaluation.tasks)}`;
  return `${rate} of ${evaluation.tasks}${stable}`;
}

function policyRow(policy: PolicyVersion, now: number, decide: (d: Decision) => void): HTMLElement {
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
    h("td", {}, evaluationText(policy)),
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
      policy.status === "canary" ? action("promote", "Promote") : null,
      policy.version > 0 && (policy.status === "canary" || policy.status === "stable")
        ? action("rollBack", "Roll back")
        : null,
    ),
  );
}

export function createPolicies(context: ViewContext): View {
  const notice = h("div", { "aria-live": "polite" });
  const tbody = h("tbody", {});
  const cell = (label: string, kind = "") => h("th", { scope: "col", class: kind }, label);
  const panel = h(
    "section",
    { class: "panel flush", hidden: true },
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "rows" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            cell("Version"),
            cell("Channel"),
            cell("Step", "number roomy"),
            cell("Held-out success"),
            cell("Parent", "roomy"),
            cell("Published", "roomy"),
            cell("Adapter", "roomy"),
            h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Actions")),
          ),
        ),
        tbody,
      ),
    ),
  );
  const element = h(
    "div",
    {},
    h("header", { class: "page-head" }, h("h1", {}, "Policies")),
    notice,
    panel,
  );

  async function decide(decision: Decision): Promise<void> {
    if (!(await confirmDecision(decision))) return;
    try {
      await context.api[decision.verb](decision.policy.version);
      await poller.refresh();
    } catch (error) {
      notice.replaceChildren(h("p", { class: "notice bad", role: "alert" }, describeError(error)));
    }
  }

  let shown = "";
  const poller = poll<PoliciesResponse>(
    context,
    () => context.api.policies(),
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
        ...state.data.policies.map((policy) => policyRow(policy, now, (d) => void decide(d))),
      );
    },
  );
  return { element, title: "Policies", dispose: () => poller.stop() };
}

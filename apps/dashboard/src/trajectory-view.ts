/** One trajectory in full: facts, its group, and its segments token by token. */
import { disagreementText, reasonText } from "./reason-text.ts";
import type { Segment, ToolCall, TrajectoryDetail, TrajectoryRow, Turn } from "@waggle/protocol";
import type { Tokenizer } from "@waggle/text";
import { h } from "@waggle/embed/dom";
import { formatAgo, formatNumber, formatSigned, shortId } from "./format.ts";
import { heatLegend, type TokenMeasure } from "./token-heat.ts";
import { createTokenStrip, createTooltip, type TokenStrip } from "./token-strip.ts";
import { createNotePanel } from "./notes/note-panel.ts";
import { outcomeText } from "./outcome-panel.ts";
import { loadTokenizer, tokenTexts } from "./token-text.ts";
import { describeError, statusChip, type View, type ViewContext } from "./view.ts";

/** Observed text longer than this starts collapsed. */
const FOLD_CHARACTERS = 400;
const MEASURES: readonly { measure: TokenMeasure; label: string }[] = [
  { measure: "behavior", label: "Behavior log-prob" },
  { measure: "raw", label: "Raw log-prob" },
  { measure: "entropy", label: "Entropy" },
];

function feedbackText({ kind, text }: TrajectoryDetail["feedback"][number]): string {
  return text === undefined ? kind : `${kind}: “${text}”`;
}

/** When the edge recorded the consent, and which text was shown. */
function receiptText(stored: TrajectoryDetail["receipt"]): string {
  if (stored == null) return "none";
  const { recordedAt, text } = stored.receipt;
  const shown = text && `text ${shortId(text.sha256)}${text.language ? ` (${text.language})` : ""}`;
  const withdrawn = stored.withdrawnAt && `withdrawn ${stored.withdrawnAt}`;
  return [`recorded ${recordedAt}`, shown, withdrawn].filter(Boolean).join(", ");
}

function factList({ row, trajectory, receipt, feedback, outcomes }: TrajectoryDetail): HTMLElement {
  const fact = (label: string, value: string | Node) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, value));
  const sampled = trajectory.segments.find((segment) => segment.kind === "sampled");
  const sampling =
    sampled?.kind === "sampled"
      ? `temperature ${sampled.sampling.temperature}, top-k ${sampled.sampling.topK || "all"}, top-p ${sampled.sampling.topP}`
      : "–";
  const { client, task } = trajectory;
  return h(
    "dl",
    { class: "facts wide-facts" },
    fact("Reward", formatNumber(row.reward)),
    fact("Advantage", formatSigned(row.advantage)),
    fact("Policy", `v${row.policyVersion}`),
    fact("Staleness", row.staleness === null ? "–" : String(row.staleness)),
    fact(
      "Gap mean / max",
      `${formatNumber(row.logProbGapMean, 2)} / ${formatNumber(row.logProbGapMax, 2)} nats`,
    ),
    fact("Sampling seed", row.hasEdgeSeed === true ? "given by the edge" : "chosen by the page"),
    fact("Drawn again", drawnText(row.drawMismatches ?? null)),
    fact("Sampled tokens", String(row.tokens)),
    fact("Learned at step", row.learnedAtStep === null ? "–" : String(row.learnedAtStep)),
    fact("Task", task ? `${task.environment} ${task.seed} (${task.split})` : "live request"),
    fact("Ended by", `${trajectory.stopReason}${trajectory.truncated ? " (truncated)" : ""}`),
    fact("Sampled on", `${client.backend}, ${client.device}`),
    fact("Sampling", sampling),
    fact("Consent", `${trajectory.consent.version}: ${trajectory.consent.scopes.join(", ")}`),
    fact("Receipt", receiptText(receipt)),
    fact("Visitor", h("a", { href: `#/visitors?id=${row.visitorId}` }, shortId(row.visitorId))),
    fact("Feedback", feedback.map(feedbackText).join(", ") || "none"),
    fact("Outcomes", outcomeText(outcomes)),
  );
}

/** The other rollouts of the same task, to which the advantage is relative. */
function groupPanel(rows: readonly TrajectoryRow[], digest: string): HTMLElement {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, `Group of ${rows.length}`),
    h(
      "ol",
      { class: "group" },
      ...rows.map((row) =>
        h(
          "li",
          {},
          h(
            "a",
            {
              href: `#/trajectories/${row.digest}`,
              "aria-current": row.digest === digest ? "true" : null,
              class: row.success === null ? "" : row.success ? "good" : "bad",
            },
            h("b", {}, row.reward === null ? row.status : formatNumber(row.reward)),
            h(
              "span",
              {},
              row.advantage === null ? `v${row.policyVersion}` : formatSigned(row.advantage),
            ),
          ),
        ),
      ),
    ),
  );
}

function callText(call: ToolCall): string {
  const args = Object.entries(call.arguments).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  return `${call.name}(${args.join(", ")})`;
}

/** What the trainer found when it drew the tokens again from their seeds. */
function drawnText(mismatches: number | null): string {
  if (mismatches === null) return "not drawn again";
  if (mismatches === 0) return "as the seed selects";
  return `${mismatches} ${mismatches === 1 ? "token differs" : "tokens differ"}`;
}

function turnCalls(turn: Turn): HTMLElement {
  return h(
    "ul",
    { class: "calls" },
    ...turn.toolCalls.map((call) => {
      const result = turn.toolResults.find((one) => one.callId === call.id);
      const answer = !result
        ? "no answer"
        : result.ok
          ? JSON.stringify(result.value)
          : `${result.error.code}: ${result.error.message}`;
      return h(
        "li",
        { class: result?.ok ? "good" : "bad" },
        h("code", {}, callText(call)),
        h("code", { class: "answer" }, answer),
      );
    }),
    turn.parseError === null
      ? null
      : h("li", { class: "bad" }, h("b", {}, "invalid call "), turn.parseError),
  );
}

function givenText(text: string): HTMLElement {
  if (text.length <= FOLD_CHARACTERS) return h("p", { class: "given" }, text);
  return h(
    "details",
    { class: "given" },
    h(
      "summary",
      {},
      `${text.slice(0, 120).trim()} … `,
      h("span", { class: "quiet" }, `${text.length} characters`),
    ),
    h("p", {}, text),
  );
}

type Record = { element: HTMLElement; strips: readonly TokenStrip[]; tooltip: HTMLElement };

function recordOf({ trajectory }: TrajectoryDetail, tokenizer: Tokenizer | null): Record {
  const tooltip = createTooltip();
  const strips: TokenStrip[] = [];
  let before: string | null = null;
  const items = trajectory.segments.map((segment: Segment) => {
    const texts = tokenTexts(segment, tokenizer);
    const isBranch = segment.parent !== before;
    before = segment.id;
    const role = segment.kind === "sampled" ? "policy" : segment.role;
    const turn = trajectory.turns.find((one) => one.segmentId === segment.id);
    let body: HTMLElement;
    if (segment.kind === "sampled") {
      const strip = createTokenStrip(segment, texts, tooltip);
      strips.push(strip);
      body = strip.element;
    } else {
      body = givenText(texts.join("").trim());
    }
    return h(
      "li",
      { class: `segment ${segment.kind}` },
      h(
        "p",
        { class: "role" },
        h("b", {}, role),
        segment.kind === "sampled" ? ` v${segment.policyVersion}` : "",
        h("span", {}, `${segment.tokenIds.length} tokens`),
        isBranch && segment.parent !== null ? h("span", {}, `branch of ${segment.parent}`) : null,
      ),
      h("div", { class: "segment-body" }, body, turn && turnHas(turn) ? turnCalls(turn) : null),
    );
  });
  return { element: h("ol", { class: "record" }, ...items), strips, tooltip };
}

function turnHas(turn: Turn): boolean {
  return turn.toolCalls.length > 0 || turn.parseError !== null;
}

/** Chooses the quantity that colors the tokens, and shows its legend. */
function colorControls(strips: readonly TokenStrip[]): HTMLElement {
  const legend = h("ul", { class: "legend", "aria-label": "Legend" });
  const choose = (measure: TokenMeasure) => {
    for (const strip of strips) strip.colorBy(measure);
    legend.replaceChildren(
      ...heatLegend(measure).map(({ heat, label }) =>
        h("li", {}, h("span", { class: "token", style: `--heat:${heat.toFixed(3)}` }, label)),
      ),
    );
  };
  choose("behavior");
  return h(
    "div",
    { class: "color-controls" },
    h(
      "fieldset",
      { class: "segmented" },
      h("legend", { class: "visually-hidden" }, "Color tokens by"),
      ...MEASURES.map(({ measure, label }) =>
        h(
          "label",
          {},
          h("input", {
            type: "radio",
            name: "measure",
            checked: measure === "behavior",
            change: () => choose(measure),
          }),
          h("span", {}, label),
        ),
      ),
    ),
    legend,
  );
}

/** What differs in page and environment. */
function disagreementPanel(row: TrajectoryRow): HTMLElement | "" {
  const sentences = disagreementText(row);
  if (sentences.length === 0) return "";
  const paragraphs = sentences.map((sentence) => h("p", { class: "caption" }, sentence));
  return h("section", { class: "panel" }, h("h2", {}, "Page and environment"), ...paragraphs);
}

/** Creates the page of one trajectory. */
export function createTrajectoryView(context: ViewContext, digest: string): View {
  const content = h("div", {}, h("p", { class: "notice", role: "status" }, "Loading …"));
  const element = h(
    "div",
    {},
    h(
      "header",
      { class: "page-head" },
      h("p", { class: "crumb" }, h("a", { href: "#/trajectories" }, "Trajectories")),
    ),
    content,
  );
  let disposed = false;

  async function load(): Promise<void> {
    try {
      const detail = await context.api.trajectory(digest);
      const { groupId } = detail.row;
      const [tokenizer, group] = await Promise.all([
        loadTokenizer(context.api, detail.trajectory.baseModel),
        groupId === null
          ? Promise.resolve([])
          : context.api.trajectories({ group: groupId, limit: 100 }).then(({ rows }) => rows),
      ]);
      context.onPoll({ data: detail, error: null, at: Date.now() });
      if (!disposed) show(detail, group, tokenizer);
    } catch (error) {
      context.onPoll({ data: null, error, at: 0 });
      content.replaceChildren(
        h("p", { class: "notice bad", role: "alert" }, describeError(error)),
        h("button", { type: "button", click: () => void load() }, "Try again"),
      );
    }
  }

  function show(
    detail: TrajectoryDetail,
    group: readonly TrajectoryRow[],
    tokenizer: Tokenizer | null,
  ): void {
    const { row } = detail;
    const record = recordOf(detail, tokenizer);
    content.replaceChildren(
      h(
        "div",
        { class: "title-line" },
        h("h1", {}, "Trajectory ", h("span", { class: "mono" }, shortId(digest))),
        statusChip(row.status),
        row.reason === null
          ? ""
          : h("span", { class: "reason", title: row.reason }, reasonText(row.reason)),
        row.success === null
          ? ""
          : h(
              "span",
              { class: row.success ? "good-text" : "bad-text" },
              row.success ? "✓ solved" : "✗ unsolved",
            ),
        h(
          "time",
          { class: "quiet", datetime: row.receivedAt },
          `${formatAgo(row.receivedAt, Date.now())} ago`,
        ),
      ),
      disagreementPanel(row),
      h("section", { class: "panel" }, factList(detail)),
      group.length > 1 ? groupPanel(group, digest) : "",
      h(
        "section",
        { class: "panel" },
        h("header", { class: "record-head" }, h("h2", {}, "Record"), colorControls(record.strips)),
        tokenizer === null
          ? h(
              "p",
              { class: "caption" },
              "This edge serves no tokenizer for this base model, so ids are shown.",
            )
          : "",
        record.element,
      ),
      createNotePanel(context.api, detail) ?? "",
      record.tooltip,
    );
  }

  void load();
  return {
    element,
    title: `Trajectory ${shortId(digest)}`,
    dispose: () => {
      disposed = true;
    },
  };
}

/** Builds recorded trajectories from conversations for tests, rendered like a page renders them. */
import type {
  FirstObservation,
  GivenSegment,
  SampledSegment,
  Segment,
  ToolDefinition,
  TrajectoryDetail,
} from "@waggle/protocol";
import { ByteTokenizer } from "@waggle/testing";
import {
  type ChatFormat,
  createChatFormat,
  nanoTokenizerConfig,
  type RenderedSegment,
} from "@waggle/text";
import type { ConversationTurn } from "./conversation.ts";

export const FORMAT: ChatFormat = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: nanoTokenizerConfig(4096),
});

/** A template that writes calls and results as Qwen2.5's does. */
const QWEN_TEMPLATE = [
  "{% if tools %}<|im_start|>system\n{{ messages[0].content }}{% for tool in tools %}\n{{ tool | tojson }}{% endfor %}",
  "<|im_end|>\n{% endif %}",
  "{% for m in messages %}{% if m.role == 'tool' %}<|im_start|>user\n<tool_response>\n{{ m.content }}",
  "\n</tool_response><|im_end|>\n{% elif m.role != 'system' or not tools %}<|im_start|>{{ m.role }}",
  "{% if m.content or not m.tool_calls %}{{ '\\n' + m.content }}{% endif %}",
  '{% for call in m.tool_calls or [] %}{{ \'\\n<tool_call>\\n{"name": "\' + call.function.name }}',
  "{{ '\", \"arguments\": ' }}{{ call.function.arguments | tojson }}{{ '}\\n</tool_call>' }}{% endfor %}",
  "<|im_end|>\n{% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}",
].join("");

/** A format whose template writes calls as policies do. The nano template puts spaces into their JSON. */
export const QWEN_FORMAT: ChatFormat = createChatFormat({
  tokenizer: new ByteTokenizer(),
  tokenizerConfig: { eos_token: "<|im_end|>" },
  chatTemplate: QWEN_TEMPLATE,
});

const TOOLS: readonly ToolDefinition[] = [
  {
    name: "search",
    description: "Find products.",
    parameters: {
      type: "object",
      properties: { query: { type: "string" }, maxPrice: { type: "number" } },
      required: ["query"],
    },
    source: "page",
  },
];

export const FIRST: FirstObservation = {
  system: "You help in a shop.",
  tools: TOOLS,
  userMessage: 'Find "mugs" under 5 € \u{1F600}',
};

/** Two calls in one turn, then an answer. */
export const TURNS: readonly ConversationTurn[] = [
  {
    text: "Let me look.",
    toolCalls: [
      { id: "c0", name: "search", arguments: { query: "mug", maxPrice: 5 } },
      { id: "c1", name: "search", arguments: { query: "cup" } },
    ],
    toolResults: [
      { callId: "c0", ok: true, value: [{ name: "red mug", price: 4.5 }] },
      { callId: "c1", ok: true, value: [] },
    ],
  },
  { text: "The red mug costs 4.5.", toolCalls: [], toolResults: [] },
];

const GROUP = "3b241101-e2bb-4255-8caf-4136c566a962";

type RecordOptions = {
  readonly first?: FirstObservation;
  readonly turns?: readonly ConversationTurn[];
  readonly task?: TrajectoryDetail["row"]["task"];
  readonly row?: Partial<TrajectoryDetail["row"]>;
  readonly feedback?: TrajectoryDetail["feedback"];
  readonly index?: number;
  readonly format?: ChatFormat;
};

/** A record of this conversation. Token t of a sampled span has log-prob −(t + 1) / 8. */
export function recordOf(options: RecordOptions = {}): TrajectoryDetail {
  const { first = FIRST, turns = TURNS, row = {}, feedback = [], index = 0 } = options;
  const { format = FORMAT } = options;
  const task = options.task ?? null;
  const segments: Segment[] = [];
  const parent = (): string | null => segments.at(-1)?.id ?? null;
  const give = (rendered: readonly RenderedSegment[]): void => {
    for (const { role, tokenIds } of rendered) {
      const id = `s${segments.length}`;
      const given: GivenSegment = { kind: "given", id, parent: parent(), role, tokenIds };
      segments.push(given);
    }
  };
  give(format.start(first));
  for (const [i, turn] of turns.entries()) {
    const { text, toolCalls, toolResults, userMessage } = turn;
    segments.push(spanOf(format.encodeAssistant(text, toolCalls), `t${i}`, parent(), i));
    if (i === turns.length - 1) break;
    give(
      format.next({
        sampledEnded: true,
        ...(toolResults.length === 0 ? {} : { toolResults }),
        ...(userMessage === undefined ? {} : { userMessage }),
      }),
    );
  }
  const id = `7f0c2a46-5a7e-4a57-9a51-${String(index).padStart(12, "0")}`;
  return {
    row: {
      digest: index.toString(16).padStart(64, "0"),
      id,
      visitorId: "00000000-0000-0000-0000-000000000000",
      groupId: GROUP,
      receivedAt: "2026-11-20T10:00:02.000Z",
      status: "learned",
      reason: null,
      policyVersion: 3,
      task,
      tokens: 1,
      stopReason: "completed",
      reward: 1,
      success: true,
      advantage: null,
      learnedAtStep: 1,
      staleness: 0,
      logProbGapMean: 0,
      logProbGapMax: 0,
      ...row,
    },
    trajectory: {
      schemaVersion: 1,
      id,
      task,
      assignmentId: null,
      consent: {
        version: "1",
        scopes: ["collect", "train"],
        grantedAt: "2026-11-20T10:00:00.000Z",
      },
      client: { build: "0.1.0", backend: "scripted", device: "test", crossOriginIsolated: false },
      baseModel: "a".repeat(64),
      policyVersion: 3,
      segments,
      turns: turns.map(({ toolCalls, toolResults }, i) => ({
        segmentId: `t${i}`,
        toolCalls,
        toolResults,
        parseError: null,
      })),
      stopReason: "completed",
      terminated: true,
      truncated: false,
      startedAt: "2026-11-20T10:00:00.000Z",
      endedAt: "2026-11-20T10:00:01.000Z",
    },
    feedback,
  };
}

function spanOf(
  tokenIds: readonly number[],
  id: string,
  parent: string | null,
  seed: number,
): SampledSegment {
  const logProbs = tokenIds.map((_, t) => -(t + 1) / 8);
  return {
    kind: "sampled",
    id,
    parent,
    policyVersion: 3,
    sampling: { temperature: 1, topK: 0, topP: 1, seed },
    grammar: null,
    tokenIds,
    behaviorLogProbs: logProbs,
    rawLogProbs: logProbs,
    entropies: logProbs.map(() => 0.5),
    stopReason: "stop-token",
  };
}

/** The record with its first turn moved to an earlier request: given tokens, without calls or results. */
export function withEarlierTurn(record: TrajectoryDetail): TrajectoryDetail {
  const { trajectory } = record;
  const segments = trajectory.segments.map((segment): Segment => {
    const { id, parent, tokenIds } = segment;
    return id === "t0" ? { kind: "given", id, parent, role: "assistant", tokenIds } : segment;
  });
  const turns = trajectory.turns.filter(({ segmentId }) => segmentId !== "t0");
  return { ...record, trajectory: { ...trajectory, segments, turns } };
}

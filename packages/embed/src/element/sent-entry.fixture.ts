/** Entries of the outbox with their content, for tests of "What I sent". */
import type { OutboxDetail, OutboxEntry } from "@waggle/collector";
import type { Trajectory } from "@waggle/protocol";
import type { TranscriptPart } from "../transcript.ts";

/** An entry that was sent. */
export const sentEntry = (change: Partial<OutboxEntry> = {}): OutboxEntry => ({
  digest: "a",
  trajectoryId: "t",
  state: "sent",
  enqueuedAt: 0,
  settledAt: 60_000,
  sizeBytes: 4200,
  policyVersion: 7,
  turns: 3,
  stopReason: "completed",
  reason: null,
  ...change,
});

/** A request for which a tool found one product and another tool failed. */
export const RECORDED: readonly TranscriptPart[] = [
  { kind: "request", text: "a mug for [EMAIL_1]" },
  {
    kind: "tool",
    callId: "c0",
    label: "Searching the shop",
    arguments: { query: "mug", max_price: 20, in_stock: true },
    result: {
      callId: "c0",
      ok: true,
      value: [{ name: "Red mug", tags: ["red", "blue"], note: null, used: false }],
    },
  },
  {
    kind: "tool",
    callId: "c1",
    label: "Adding to the cart",
    arguments: {},
    result: { callId: "c1", ok: false, error: { code: "TOOL_FAILED", message: "sold out" } },
  },
  { kind: "unreadable" },
  { kind: "answer", text: "The red mug is sold out." },
];

/** What the outbox keeps of that entry. */
export const sentDetail = (text: string | null = JSON.stringify(RECORDED)): OutboxDetail => ({
  entry: sentEntry(),
  trajectory: {
    id: "t",
    segments: [{ tokenIds: [1, 2] }],
    turns: [
      {
        segmentId: "s1",
        toolCalls: [{ id: "c0", name: "find_mug", arguments: { color: "red" } }],
        toolResults: [{ callId: "c0", ok: true, value: 3 }],
        parseError: null,
      },
    ],
  } as unknown as Trajectory,
  text,
});

/** Seeded groups of rollouts without a model: text tokens, calls that work or fail, rewards, roles and stale samples. */
import type { Segment, Trajectory, Turn } from "@waggle/protocol";
import {
  type JudgedGroup,
  type JudgedTrajectory,
  toJudgedTrajectory,
} from "./judged-trajectory.ts";

const TOOLS = ["look", "calculate", "search"];
const REWARDS = [0, 0, 0.25, 0.5, 1, 1];
const VOCABULARY = 40;
const STOPS = ["completed", "completed", "completed", "max-turns", "timeout"] as const;

/** Groups of four rollouts. Those of the last groups have these roles, branches and notes. */
export function syntheticGroups(
  random: () => number,
  roles: readonly string[],
  mode: string | null,
): JudgedGroup[] {
  return Array.from({ length: 5 }, (_, g) => {
    const trajectories: JudgedTrajectory[] = [];
    for (let i = 0; i < 4; i += 1) {
      const role = g < 2 ? "policy" : (roles[(g + i) % roles.length] ?? "policy");
      trajectories.push(judged(random, g, i, role, g === 4 && i > 1 ? mode : null, trajectories));
    }
    return { task: `synthetic/${g}`, trajectories };
  });
}

function judged(
  random: () => number,
  g: number,
  i: number,
  role: string,
  mode: string | null,
  earlier: readonly JudgedTrajectory[],
): JudgedTrajectory {
  const record = recordOf(random, `r${g}-${i}`, g);
  const reward = REWARDS[Math.floor(random() * REWARDS.length)] as number;
  const pays = record.turns.map(() => Math.round(random() * 4) / (4 * record.turns.length));
  const [first] = earlier;
  const isBranch = g === 3 && i === 3 && first !== undefined && first.turns.length > 1;
  return toJudgedTrajectory(
    record,
    {
      reward,
      success: reward === 1,
      parts: { answer: String(i % 3), calls: record.turns.length, sent: reward > 0, right: i },
    },
    {
      role,
      joint: g >= 2 ? `joint-${g}-${i >> 1}` : null,
      ...(g === 3 ? { opponent: `past-${i % 2}` } : {}),
      mode,
      staleness: i % 3,
      ...(g % 2 === 0 ? { turnRewards: pays } : {}),
      ...(isBranch ? { branch: { trajectory: first.id, turn: 1 } } : {}),
    },
  );
}

function recordOf(random: () => number, id: string, seed: number): Trajectory {
  const below = (count: number): number => Math.floor(random() * count);
  const tokens = (count: number): number[] =>
    Array.from({ length: count }, () => below(VOCABULARY));
  const segments: Segment[] = [
    { kind: "given", id: "s0", parent: null, role: "user", tokenIds: [seed, ...tokens(2)] },
  ];
  const turns: Turn[] = [];
  const count = 1 + below(4);
  const stopReason = STOPS[below(STOPS.length)] as (typeof STOPS)[number];
  for (let turn = 0; turn < count; turn += 1) {
    const tokenIds = tokens(2 + below(4));
    const logProbs = tokenIds.map(() => -0.05 - 2 * random());
    const segmentId = `s${segments.length}`;
    segments.push({
      kind: "sampled",
      id: segmentId,
      parent: `s${segments.length - 1}`,
      policyVersion: 1,
      sampling: { temperature: 1, topK: 0, topP: 1, seed: 1 },
      grammar: null,
      tokenIds,
      behaviorLogProbs: logProbs,
      rawLogProbs: logProbs,
      entropies: tokenIds.map(() => 2 * random()),
      stopReason: "stop-token",
    });
    const isLast = turn === count - 1;
    const isUnreadable = !isLast && random() < 0.15;
    const calls = isLast || isUnreadable ? 0 : 1 + below(2);
    const toolCalls = Array.from({ length: calls }, (_, c) => ({
      id: `c${turn}-${c}`,
      name: TOOLS[below(TOOLS.length)] as string,
      arguments: { value: below(3) },
    }));
    turns.push({
      segmentId,
      toolCalls,
      toolResults: toolCalls.map(({ id: callId, arguments: { value } }) =>
        random() < 0.25
          ? { callId, ok: false, error: { code: "TOOL_FAILED", message: "refused: broken" } }
          : { callId, ok: true, value: `found ${String(value)}` },
      ),
      parseError: isUnreadable ? "no call" : null,
    });
    if (!isLast) {
      const parent = segmentId;
      segments.push({
        kind: "given",
        id: `s${segments.length}`,
        parent,
        role: "tool",
        tokenIds: tokens(2),
      });
    }
  }
  const isCut = stopReason !== "completed";
  return {
    schemaVersion: 1,
    id,
    task: { environment: "synthetic", seed, split: "train" },
    assignmentId: null,
    consent: { version: "1", scopes: ["train"], grantedAt: "2026-11-20T10:00:00.000Z" },
    client: { build: "test", backend: "scripted", device: "test", crossOriginIsolated: false },
    baseModel: "a".repeat(64),
    policyVersion: 1,
    segments,
    turns,
    stopReason,
    terminated: !isCut,
    truncated: isCut,
    startedAt: "2026-11-20T10:00:00.000Z",
    endedAt: "2026-11-20T10:00:01.000Z",
  };
}

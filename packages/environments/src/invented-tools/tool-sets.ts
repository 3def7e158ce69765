/** Sets of tools: those that a request needs, and similar ones that it does not need. */
import type { TaskSplit } from "@waggle/protocol";
import { pick } from "../draw.ts";
import type { Action } from "./action.ts";
import { COMMON_ACTIONS } from "./common-actions.ts";
import { DEVICE_ACTIONS } from "./device-actions.ts";
import { belongsTo, chance, type Drawing, shuffled } from "./drawing.ts";
import { drawStyle } from "./function-names.ts";
import { GROUP_ACTIONS } from "./group-actions.ts";
import { drawTool, type InventedTool, type ToolWish } from "./invented-tool.ts";
import { LIVING_ACTIONS } from "./living-actions.ts";
import { ORDER_ACTIONS } from "./order-actions.ts";
import { PAPER_ACTIONS } from "./paper-actions.ts";
import { READING_ACTIONS } from "./reading-actions.ts";
import { STOCK_ACTIONS } from "./stock-actions.ts";
import { type Subject, SUBJECTS } from "./subjects.ts";
import { UPKEEP_ACTIONS } from "./upkeep-actions.ts";

export const ACTIONS: readonly Action[] = [
  ...COMMON_ACTIONS,
  ...READING_ACTIONS,
  ...GROUP_ACTIONS,
  ...DEVICE_ACTIONS,
  ...PAPER_ACTIONS,
  ...ORDER_ACTIONS,
  ...UPKEEP_ACTIONS,
  ...LIVING_ACTIONS,
  ...STOCK_ACTIONS,
];

/** An action with a subject. */
type Pair = { readonly action: Action; readonly subject: Subject; readonly key: string };

const PAIRS: readonly Pair[] = SUBJECTS.flatMap((subject) =>
  ACTIONS.filter(({ groups }) => groups === undefined || groups.includes(subject.group)).map(
    (action) => ({ action, subject, key: `${subject.key}/${action.key}` }),
  ),
);

/** The pairs of a split, also by subject and by action. */
function indexed(split: TaskSplit) {
  const all = PAIRS.filter(({ key }) => belongsTo(split, key));
  return {
    all,
    withDetails: all.filter(({ action }) => action.details !== undefined),
    bySubject: Map.groupBy(all, ({ subject }) => subject),
    byAction: Map.groupBy(all, ({ action }) => action),
  };
}
const PAIRS_OF = { train: indexed("train"), heldOut: indexed("heldOut") };

/** The pairs of a subject that the split has. */
export const pairsOfSubject = ({ split }: Drawing, subject: Subject): readonly Pair[] =>
  PAIRS_OF[split].bySubject.get(subject) ?? [];

/** The reading pairs of a pair's subject, if the pair reads as well. */
export function readersOf(drawing: Drawing, { subject, action }: Pair): readonly Pair[] {
  if (action.changes) return [];
  return pairsOfSubject(drawing, subject).filter((pair) => !pair.action.changes);
}

/** A pair of the split that is accepted. */
export function drawPair(drawing: Drawing, accepts: (pair: Pair) => boolean = () => true): Pair {
  const { all, withDetails } = PAIRS_OF[drawing.split];
  for (;;) {
    // Actions with several values are few, but they teach the most.
    const pair = pick(drawing.random, chance(drawing, 0.12) ? withDetails : all);
    if (accepts(pair)) return pair;
  }
}

/**
 * Draws tools for the wishes, and distractors up to the size: tools for the same subjects, for the same actions, and
 * others. No tool has a pair of `without`. @returns the wished tools in order, and all tools in random order.
 */
export function drawToolSet(
  drawing: Drawing,
  wishes: readonly (ToolWish & Pair)[],
  size: number,
  without: readonly Pair[] = [],
): { readonly wished: readonly InventedTool[]; readonly tools: readonly InventedTool[] } {
  const style = drawStyle(drawing);
  const names = new Set<string>();
  const keys = new Set(without.map(({ key }) => key));
  const add = (wish: ToolWish & Pair): InventedTool => {
    const tool = drawTool(drawing, wish, style, names);
    names.add(tool.name);
    keys.add(wish.key);
    return tool;
  };
  const wished = wishes.map(add);
  const near = wishes.length > 0 ? wishes : without;
  const tools = [...wished];
  while (tools.length < size) {
    const wish = pick(drawing.random, near);
    const { all, bySubject, byAction } = PAIRS_OF[drawing.split];
    const similar = chance(drawing, 0.55) ? bySubject.get(wish.subject) : byAction.get(wish.action);
    const pair = pick(drawing.random, chance(drawing, 0.85) ? (similar ?? all) : all);
    // Where no similar pair is left, another draw takes any pair.
    if (keys.has(pair.key)) continue;
    tools.push(add(pair));
  }
  return { wished, tools: shuffled(drawing, tools) };
}

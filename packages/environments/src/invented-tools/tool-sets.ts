/** Sets of tools: those that a request needs, and similar ones that it does not need. */
import { pick } from "../draw.ts";
import { type Action, ACTIONS } from "./actions.ts";
import { belongsTo, chance, type Drawing, shuffled } from "./drawing.ts";
import { drawStyle } from "./function-names.ts";
import { drawTool, type InventedTool, type ToolWish } from "./invented-tool.ts";
import { type Subject, SUBJECTS } from "./subjects.ts";

type Pair = { readonly action: Action; readonly subject: Subject };

const keyOf = ({ action, subject }: Pair): string => `${subject.key}/${action.key}`;

const PAIRS: readonly Pair[] = SUBJECTS.flatMap((subject) =>
  ACTIONS.filter(({ groups }) => groups === undefined || groups.includes(subject.group)).map(
    (action) => ({ action, subject }),
  ),
);
const PAIRS_OF = {
  train: PAIRS.filter((pair) => belongsTo("train", keyOf(pair))),
  heldOut: PAIRS.filter((pair) => belongsTo("heldOut", keyOf(pair))),
};

/** All actions of a subject that the split has. */
export function pairsWith(
  { split }: Drawing,
  accepts: (pair: Pair) => boolean = () => true,
): readonly Pair[] {
  return PAIRS_OF[split].filter(accepts);
}

export const drawPair = (drawing: Drawing, accepts?: (pair: Pair) => boolean): Pair =>
  pick(drawing.random, pairsWith(drawing, accepts));

/**
 * Draws tools for the wishes, and distractors up to the size: tools for the same subjects, for the same actions, and
 * others. `without` is a pair that no tool may have. @returns the wished tools in order, and all tools in random order.
 */
export function drawToolSet(
  drawing: Drawing,
  wishes: readonly ToolWish[],
  size: number,
  without: readonly Pair[] = [],
): { readonly wished: readonly InventedTool[]; readonly tools: readonly InventedTool[] } {
  const style = drawStyle(drawing);
  const names = new Set<string>();
  const keys = new Set(without.map(keyOf));
  const add = (wish: ToolWish): InventedTool => {
    const tool = drawTool(drawing, wish, style, names);
    names.add(tool.name);
    keys.add(keyOf(wish));
    return tool;
  };
  const wished = wishes.map(add);
  const near = [...wishes, ...without];
  const tools = [...wished];
  while (tools.length < size) {
    const wish = pick(drawing.random, near);
    const isFree = (pair: Pair) => !keys.has(keyOf(pair));
    const similar = chance(drawing, 0.55)
      ? pairsWith(drawing, (pair) => isFree(pair) && pair.subject === wish.subject)
      : pairsWith(drawing, (pair) => isFree(pair) && pair.action === wish.action);
    const pairs =
      similar.length > 0 && chance(drawing, 0.85) ? similar : pairsWith(drawing, isFree);
    tools.push(add(pick(drawing.random, pairs)));
  }
  return { wished, tools: shuffled(drawing, tools) };
}

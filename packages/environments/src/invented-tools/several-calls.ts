/** Tasks with two calls in one turn: two tools, or one tool twice. */
import { doneAnswer, outcomeOf } from "./call-results.ts";
import { chance, type Drawing } from "./drawing.ts";
import type { InventedTool } from "./invented-tool.ts";
import { drawFrame, fillFrame, PAIR_FRAMES } from "./request-frames.ts";
import { scriptCall, scriptTool, type TaskScript } from "./task-script.ts";
import { drawPair, drawToolSet } from "./tool-sets.ts";
import { argumentsOf, clauseOf, doneText, drawWish } from "./wish.ts";

/** Two changes in one turn. */
export function twoCalls(drawing: Drawing, size: number): TaskScript {
  const first = drawPair(drawing, ({ action }) => action.changes);
  const isTwice = chance(drawing, 0.35);
  const second = drawPair(
    drawing,
    ({ action, subject }) =>
      action.changes && (subject !== first.subject || action !== first.action),
  );
  const { wished, tools } = drawToolSet(drawing, isTwice ? [first] : [first, second], size);
  const used = [wished[0], wished[isTwice ? 0 : 1]] as InventedTool[];
  const wishes = used.map((tool) => drawWish(drawing, tool));
  const { frame, pattern } = drawFrame(drawing, PAIR_FRAMES);
  const [one, two] = wishes.map((wish) => clauseOf(drawing, wish, frame));
  const calls = wishes.map((wish) => scriptCall(wish, outcomeOf(drawing, wish).result));
  const wrong = argumentsOf(drawWish(drawing, used[1] as InventedTool));
  return {
    kind: "two-calls",
    template: `two-calls-${pattern}`,
    tools: tools.map(scriptTool),
    request: fillFrame(frame, one as string, two),
    rounds: [calls],
    answer: doneAnswer(drawing, ...wishes.map((wish) => doneText(wish))),
    facts: [],
    tone: "plain",
    // The second call has other values.
    slip: {
      text: "",
      calls: calls.map(({ name, arguments: args }, i) => ({
        name,
        arguments: i === 0 ? { ...args } : wrong,
      })),
    },
  };
}

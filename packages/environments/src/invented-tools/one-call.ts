/** Tasks with one call: it succeeds, it fails, or a value for it must be asked for first. */
import { integerBelow, pick } from "../draw.ts";
import { doneAnswer, outcomeOf } from "./call-results.ts";
import { chance, type Drawing } from "./drawing.ts";
import type { InventedTool, Parameter } from "./invented-tool.ts";
import {
  callTurn,
  type ScriptCall,
  scriptCall,
  scriptTool,
  type TaskScript,
} from "./task-script.ts";
import { drawPair, drawToolSet } from "./tool-sets.ts";
import { person } from "./values.ts";
import { argumentsOf, doneText, drawWish, requestOf, type Wish } from "./wish.ts";

/** A call of another tool of the set, or of the same tool with another value if it is the only one. */
export function wrongTool(
  drawing: Drawing,
  tools: readonly InventedTool[],
  right: InventedTool,
): TaskScript["slip"] {
  const others = tools.filter((tool) => tool !== right);
  const tool = others.length === 0 ? right : pick(drawing.random, others);
  return callTurn(tool.name, argumentsOf(drawWish(drawing, tool)));
}

/** One call and an answer. */
export function oneCall(drawing: Drawing, size: number): TaskScript {
  const { wished, tools } = drawToolSet(drawing, [drawPair(drawing)], size);
  const tool = wished[0] as InventedTool;
  const wish = drawWish(drawing, tool);
  const { request, pattern } = requestOf(drawing, wish);
  const { result, answer, facts } = outcomeOf(drawing, wish);
  return {
    kind: "one-call",
    template: `one-call-${pattern}`,
    tools: tools.map(scriptTool),
    request,
    rounds: [[scriptCall(wish, result)]],
    answer,
    facts,
    tone: "plain",
    slip: wrongTool(drawing, tools, tool),
  };
}

const FAILURES: readonly string[] = [
  "not found",
  "no such {n}",
  "service unavailable",
  "{n} is locked",
  "access denied",
  "timeout",
  "{n} is in use",
  "quota exceeded",
  "try again later",
  "not allowed on holidays",
  "conflict with another {n}",
  "server is down",
  "permission missing",
  "the {n} was changed by {p}",
  "{n} does not exist",
  "too many requests",
  "no connection",
  "the {n} is closed",
  "wrong format",
  "{p} has to agree first",
  "not enough money",
  "the {n} is already taken",
  "disk is full",
  "only {p} may do this",
  "the session has ended",
  "invalid value",
  "maintenance until tomorrow",
  "the {n} has no owner",
  "internal error 500",
];

/** One call that fails: the answer says so, with the reason. */
export function failingCall(drawing: Drawing, size: number): TaskScript {
  const { wished, tools } = drawToolSet(drawing, [drawPair(drawing)], size);
  const tool = wished[0] as InventedTool;
  const wish = drawWish(drawing, tool);
  const { request, pattern } = requestOf(drawing, wish);
  const failure = pick(drawing.random, FAILURES)
    .replace("{n}", tool.subject.nouns[0] as string)
    .replace("{p}", () => String(person(drawing).argument));
  const call: ScriptCall = scriptCall(wish, { failure });
  return {
    kind: "failing-call",
    template: `failing-call-${pattern}`,
    tools: tools.map(scriptTool),
    request,
    rounds: [[call]],
    answer: pick(drawing.random, ["That failed: {}.", "I couldn't do that: {}."]).replace(
      "{}",
      () => failure,
    ),
    facts: [failure],
    tone: "failure",
    slip: wrongTool(drawing, tools, tool),
  };
}

/** A request that lacks a required value: the question, the reply, the call. */
export function missingValue(drawing: Drawing, size: number): TaskScript {
  const { random } = drawing;
  const isCreation = chance(drawing, 0.35);
  const pair = drawPair(drawing, ({ action }) =>
    isCreation ? action.details === "record" : action.changes,
  );
  const { wished, tools } = drawToolSet(drawing, [pair], size);
  const tool = wished[0] as InventedTool;
  const open = tool.parameters.find(
    ({ role, isRequired, field }) =>
      role === "target" ||
      (role === "detail" && isRequired && field.type !== "boolean" && chance(drawing, 0.6)),
  );
  const missing = open ?? (tool.parameters.find(({ isRequired }) => isRequired) as Parameter);
  const complete = drawWish(drawing, tool);
  const value = complete.values.get(missing);
  const said = new Map([...complete.values].filter(([parameter]) => parameter !== missing));
  const { request, pattern } = requestOf(drawing, {
    ...complete,
    values: said,
    ...(missing.role === "target"
      ? { target: `${pick(random, ["the", "my", "our"])} ${complete.noun}` }
      : {}),
  });
  const text =
    missing.role === "target"
      ? `Which ${complete.noun} do you mean?`
      : questionFor(drawing, complete, missing);
  const mentioned = String(value?.said);
  const replies = [
    mentioned,
    mentioned,
    `${mentioned}, please`,
    `it is ${mentioned}`,
    `${mentioned}.`,
  ];
  return {
    kind: "missing-value",
    template: `missing-value-${pattern}`,
    tools: tools.map(scriptTool),
    request,
    question: { text, reply: pick(random, replies) },
    rounds: [
      [
        scriptCall(complete, {
          value: pick(random, ["ok", { ok: true }, { id: 20 + integerBelow(random, 900) }]),
        }),
      ],
    ],
    answer: doneAnswer(drawing, doneText(complete)),
    facts: [],
    tone: "plain",
    slip: wrongTool(drawing, tools, tool),
  };
}

function questionFor(
  drawing: Drawing,
  { noun }: Wish,
  { field, name, isInvented }: Parameter,
): string {
  const label = isInvented ? name : field.label;
  return pick(drawing.random, [`What ${label} should the ${noun} have?`, `Which ${label}?`]);
}

/** Tasks that need one of several records: act on it by its id, or state one of its values. */
import { pick } from "../draw.ts";
import { doneAnswer } from "./call-results.ts";
import { chance, type Drawing, shuffled } from "./drawing.ts";
import { type FieldKey, FIELDS } from "./fields.ts";
import type { InventedTool, Parameter } from "./invented-tool.ts";
import { drawRecords, type InventedRecord, mention, recordJson, tellingFields } from "./records.ts";
import { drawQuestion } from "./record-questions.ts";
import { nounFor, type Subject } from "./subjects.ts";
import {
  callTurn,
  type ScriptCall,
  scriptCall,
  scriptTool,
  type TaskScript,
  textTurn,
} from "./task-script.ts";
import { drawPair, drawToolSet, pairsOfSubject, readersOf } from "./tool-sets.ts";
import type { Value } from "./values.ts";
import { argumentsOf, doneText, drawWish, requestOf } from "./wish.ts";

/** A search with its records, and the user's words for one of them. */
type Search = {
  readonly filter: FieldKey | undefined;
  readonly records: readonly InventedRecord[];
  readonly right: InventedRecord;
  readonly wrong: InventedRecord;
  /** `the room Zork`, `the meeting on 2026-03-14`. */
  readonly words: string;
};

/** A list of everything if the finder lists; otherwise a search by the name or by a field that all records share. */
function drawSearch(
  drawing: Drawing,
  subject: Subject,
  finder: "list" | "find",
  idKind: "code" | "number",
  shown: FieldKey,
  noun: string,
): Search {
  const { random } = drawing;
  const count = pick(random, [2, 3, 3, 4]);
  const telling = tellingFields(subject);
  const field = pick(random, telling.length > 0 ? telling : subject.fields);
  const keys = [...new Set([shown, ...(chance(drawing, 0.5) || shown === field ? [] : [field])])];
  const records = drawRecords(drawing, subject, count, keys, idKind);
  const [right, wrong] = shuffled(drawing, records) as [InventedRecord, InventedRecord];
  const named = pick(random, ["the {n} {}", "the {n} {}", "the {n} called {}", "my {n} {}", "{}"]);
  const byName = named.replace("{n}", noun).replace("{}", () => right.name.said);
  if (finder === "find") {
    if (chance(drawing, 0.5)) return { filter: "title", records, right, wrong, words: byName };
    const shared = subject.fields.find((key) => !keys.includes(key) && telling.includes(key));
    if (shared !== undefined) {
      const value = FIELDS[shared].draw(drawing);
      const same = records.map((record) => ({
        ...record,
        fields: new Map([...record.fields, [shared, value]]),
      }));
      const now = same[records.indexOf(right)] as InventedRecord;
      const other = same[records.indexOf(wrong)] as InventedRecord;
      const words = `${byName} ${mention(drawing, FIELDS[shared], value)}`;
      return { filter: shared, records: same, right: now, wrong: other, words };
    }
    return { filter: "title", records, right, wrong, words: byName };
  }
  const told = keys.includes(field) ? right.fields.get(field) : undefined;
  const canTell = told !== undefined && telling.includes(field) && field !== shown;
  const words =
    canTell && chance(drawing, 0.5)
      ? `the ${noun} ${mention(drawing, FIELDS[field], told)}`
      : byName;
  return { filter: undefined, records, right, wrong, words };
}

/** The call that finds the records. */
function searchCall(finder: InventedTool, { filter, records, right }: Search): ScriptCall {
  const value =
    filter === undefined ? undefined : filter === "title" ? right.name : right.fields.get(filter);
  const given = new Map<Parameter, Value>();
  for (const parameter of finder.parameters) if (value !== undefined) given.set(parameter, value);
  return {
    name: finder.name,
    arguments: Object.fromEntries([...given].map(([{ name }, { argument }]) => [name, argument])),
    result: { value: records.map(recordJson) },
  };
}

/** Subjects with a finder in the split, and a pair that acts on them. */
function drawFinder(drawing: Drawing, subject: Subject) {
  const finders = pairsOfSubject(drawing, subject).filter(
    ({ action }) => action.key === "list" || action.key === "find",
  );
  return finders.length === 0 ? undefined : pick(drawing.random, finders);
}

/** Find the records, choose one, act on it by its id. */
export function findAndAct(drawing: Drawing, size: number): TaskScript {
  const { random } = drawing;
  for (;;) {
    const pair = drawPair(drawing, ({ action }) => action.changes && action.target === true);
    const finderPair = drawFinder(drawing, pair.subject);
    if (finderPair === undefined) continue;
    const idKind = pick(random, ["code", "number"] as const);
    const kind = finderPair.action.key === "list" ? "list" : "find";
    const noun = nounFor(random, pair.subject);
    const shown = pick(random, pair.subject.fields);
    const search = drawSearch(drawing, pair.subject, kind, idKind, shown, noun);
    const { wished, tools } = drawToolSet(
      drawing,
      [
        { ...pair, targetKind: idKind },
        { ...finderPair, filter: search.filter },
      ],
      size,
    );
    const [tool, finder] = wished as [InventedTool, InventedTool];
    const target = tool.parameters.find(({ role }) => role === "target") as Parameter;
    const given = new Map([[target, search.right.id]]);
    const wish = { ...drawWish(drawing, tool, { target: search.words, given }), noun };
    const { request, pattern } = requestOf(drawing, wish);
    const wrong = { ...wish, values: new Map([...wish.values, [target, search.wrong.id]]) };
    return {
      kind: "find-and-act",
      template: `find-and-act-${pattern}`,
      tools: tools.map(scriptTool),
      request,
      rounds: [
        [searchCall(finder, search)],
        [scriptCall(wish, { value: pick(random, ["ok", { ok: true }]) })],
      ],
      answer: doneAnswer(drawing, doneText(wish, String(search.right.name.argument))),
      facts: [],
      tone: "plain",
      slip: callTurn(tool.name, argumentsOf(wrong)),
    };
  }
}

/** Find the records and state a value of the right one. */
export function answerFromRecords(drawing: Drawing, size: number): TaskScript {
  const { random } = drawing;
  const pair = drawPair(drawing, ({ action }) => action.key === "list" || action.key === "find");
  const { subject, action } = pair;
  const noun = nounFor(random, subject);
  const shown = pick(
    random,
    subject.fields.filter((key) => FIELDS[key].type !== "boolean"),
  );
  const kind = action.key === "list" ? "list" : "find";
  const search = drawSearch(drawing, subject, kind, pick(random, ["code", "number"]), shown, noun);
  const { wished, tools } = drawToolSet(
    drawing,
    [{ ...pair, filter: search.filter }],
    size,
    readersOf(drawing, pair),
  );
  const { request, pattern } = drawQuestion(drawing, shown, search.words);
  const { label } = FIELDS[shown];
  const shownIn = ({ fields }: InventedRecord) => String(fields.get(shown)?.argument);
  const { name } = search.right;
  const form = pick(random, ["The {l} of {t} is {v}.", "{t} has the {l} {v}."]);
  const answer = (value: string) =>
    form
      .replace("{l}", label)
      .replace("{t}", () => String(name.argument))
      .replace("{v}", () => value);
  const right = shownIn(search.right);
  const wrongValues = search.records.map(shownIn).filter((value) => !answer(value).includes(right));
  return {
    kind: "answer-from-records",
    template: `answer-from-records-${pattern}`,
    tools: tools.map(scriptTool),
    request,
    rounds: [[searchCall(wished[0] as InventedTool, search)]],
    answer: answer(right),
    facts: [right],
    tone: "plain",
    slip: textTurn(wrongValues.length > 0 ? answer(pick(random, wrongValues)) : "I do not know."),
  };
}

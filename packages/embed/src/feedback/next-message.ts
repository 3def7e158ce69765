/**
 * What a visitor's next message says about the answer before it, by rules for English, German and French. It runs in the
 * page and reads both messages; only the kind is sent. Most messages say nothing, and a rule that is unsure gives `null`.
 * How often the rules are right: `docs/evidence/next-message.md`.
 */
import type { Feedback } from "@waggle/protocol";

/** The kinds of feedback that a next message can give. */
export type NextMessageKind = Extract<
  Feedback["kind"],
  "next-thanks" | "next-repeats" | "next-corrects" | "next-contradicts"
>;

/** The request, its answer and what the visitor wrote then. */
export type NextMessage = {
  readonly request: string;
  readonly answer: string;
  readonly next: string;
};

const any = (...patterns: readonly string[]): string => `(?:${patterns.join("|")})`;
/** Where no word goes on. */
const WORD_START = String.raw`(?<![\p{L}])`;
const WORD_END = String.raw`(?![\p{L}])`;
const starts = (pattern: string): RegExp => new RegExp(`^${pattern}${WORD_END}`, "u");
const anywhere = (pattern: string): RegExp => new RegExp(WORD_START + pattern + WORD_END, "u");
const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`, "u");

const SPACE = String.raw`[\s,.!]`;
const NO = any("no+", "nope", "nah", "nein", "non");
const THAT_IS = any("that's", "that is", "that was", "das ist", "das war", "c'est");

/** What people say before they thank. */
const PLEASED = any(
  "ok|okay|great|perfect|cool|super|brilliant|awesome|wonderful",
  "lovely|nice|oh|ah|well|alright|right|yes|toll|prima|klasse",
  "perfekt|parfait|génial|très bien|oui|ja",
);

const THANKS = [
  starts(
    `(?:${PLEASED}${SPACE}+)*` +
      any(
        "(?:many |a thousand )?thanks",
        "thank (?:you|u)",
        "thx|tysm|tyvm|ty|cheers(?! is)|much appreciated|(?:i )?appreciate it",
        "(?:vielen |besten |herzlichen |tausend )?dank(?:e|eschön)?",
        // "Merci de …" asks for something.
        "merci(?! de | d'| d’)",
      ),
  ),
  // More than the polite end of a request.
  anywhere(
    "(?<!no |would |say )" +
      any("thanks", "thank (?:you|u)", "thx", "danke", "dank", "merci") +
      " " +
      any(
        "for (?:the|that|your|all|sorting|helping|putting)",
        "a lot|a million|(?:ever )?so much|very much|indeed",
        "für (?:die|das|deine|ihre)|sehr|vielmals|beaucoup|pour",
      ),
  ),
  anywhere(
    any(
      "much appreciated|(?:very|so) kind of you|(?:that|you) (?:really )?helped",
      "you(?:'ve| have) been (?:so |very |really |most )*(?:helpful|kind)",
      "many thanks",
    ),
  ),
  // Praise that is the whole message.
  whole(
    `(?:(?:${THAT_IS}|you're|you are) )?(?:(?:so|very|really|just|sehr|wirklich|très|vraiment) )?` +
      any(
        "great|perfect|awesome|excellent|brilliant|wonderful|fantastic",
        "amazing|lovely|helpful|good job|well done|good work|toll|super",
        "prima|perfekt|klasse|wunderbar|gut gemacht|parfait|génial|bravo",
      ),
  ),
];

/** What the assistant said is not so. */
const CONTRADICTS = [
  starts(
    `(?:${NO}${SPACE}+)*` +
      any(
        `${THAT_IS}(?: just| simply| plain)? (?:wrong|false|incorrect|not (?:true|right|correct|so)|falsch|nicht (?:wahr|richtig)|faux|pas vrai)`,
        "that (?:can't|cannot|can not) be (?:right|true)",
        "(?:i think )?you(?:'re| are) (?:wrong|mistaken|lying)",
        "das stimmt (?:so |gar )?nicht|ce n'est pas (?:vrai|exact|correct)",
      ),
  ),
  whole(any("wrong", "false", "incorrect", "nonsense", "falsch", "unsinn", "faux")),
];

/** Something else was asked for. */
const CORRECTS = [
  starts(
    `(?:${any(NO, "sorry", "hey", "hm+", "stop", "wait", "warte", "attends")})?${SPACE}*` +
      any(
        "(?:but )?i (?:meant|said|asked (?:you )?(?:for|to)|was asking|was talking about)",
        "no+[,.! ]+i wanted",
        "(?:but )?i (?:didn't|did not) (?:ask|say|want|mean)",
        "not (?:that|this|the one|what i)(?! i)",
        "wrong (?:one|item|product|thing)",
        `${THAT_IS} not (?:what|the one)`,
        "that (?:isn't|wasn't) (?:what|the one)",
        "you (?:got|have) (?:that|it|me) wrong",
        "(?:please )?undo that",
        "(?:das )?ich (?:meinte|sagte|habe gesagt)",
        "nein[,.! ]+ich wollte",
        "nicht (?:das|den|die|der|dieses|diese|diesen)",
        "das (?:meinte|wollte) ich nicht",
        "je parlais de",
        "non[,.! ]+je voulais",
        "j'ai dit|pas (?:ça|celui|celle)",
        "ce n'est pas (?:ce que|celui|celle)",
      ),
  ),
  anywhere(
    any(
      "(?<!(?:exactly|precisely|just) what )i (?:meant|was after|was talking about|was thinking of)(?! to)",
      "(?:is|was|were) (?:the one )?what i (?:meant|asked for)",
      String.raw`i had (?:[\p{L}\p{N} ]{1,40} )?in mind`,
      "wrong (?:one|thing|item|product|number|quantity|amount)",
      "not (?:that|this) one",
      "(?:not|n't) (?:exactly |precisely )?what i (?:wanted|asked|said|meant|ordered)",
      "(?:that's|that is|this is) not (?:it|right)",
      "not quite|you (?:misread|misheard|misunderstood)",
      "habe ich (?:nicht )?gemeint|nicht was ich wollte",
    ),
  ),
];

/** Thanks that go on with an objection, or are none. */
const NOT_CONTENT = anywhere(
  any("but|however|though|wrong|nothing|aber|jedoch|falsch", "mais|pourtant|faux|fausse|pas"),
);

/** "No", a sign, and what is wanted instead. */
const NO_BUT = new RegExp(
  String.raw`^${NO}\s*[,.!;:]\s*(?!thank|thx|danke|merci|problem|worries|need)\p{L}`,
  "u",
);

/** Share of words that two messages have in common, from which one repeats the other. */
const ALIKE = 0.8;

/** Characters of a message that are read. */
const READ = 400;

/** @returns the kind of feedback, or `null` if the next message says nothing about the answer. */
export function nextMessageKind({ request, answer, next }: NextMessage): NextMessageKind | null {
  const text = plain(next);
  const is = (rules: readonly RegExp[]): boolean => rules.some((rule) => rule.test(text));
  if (is(CONTRADICTS)) return "next-contradicts";
  if (is(CORRECTS)) return "next-corrects";
  // After a question, "no" answers it.
  if (NO_BUT.test(text) && !/\?\s*$/u.test(answer)) return "next-corrects";
  if (text !== "" && areAlike(plain(request), text)) return "next-repeats";
  return is(THANKS) && !NOT_CONTENT.test(text) ? "next-thanks" : null;
}

/** Lower case, straight quotes, single spaces, no sign at either end. */
function plain(text: string): string {
  return text
    .slice(0, READ)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘`´]/gu, "'")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/** Whether two messages have nearly the same words: their Jaccard index is at least `ALIKE`. */
function areAlike(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  const common = [...a].filter((word) => b.has(word)).length;
  return common > 0 && common >= ALIKE * (a.size + b.size - common);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/[\p{L}\p{N}]+/gu));
}

/** What a person's name looks like. It does not decide whether a text introduces one. */
import { isGivenName } from "./given-names.ts";
import { isNotName } from "./not-names.ts";
import { valueAtEnd } from "./rule.ts";
import type { DetectionRule, Span } from "./rule.ts";

/** Titles before names. */
const TITLE = (
  "mr mrs ms miss mx dr prof sir herr herrn frau m mme mlle monsieur madame sr sra srta señor señora don doña sig signor signora " +
  "dott senhor senhora dona dhr mevr meneer mevrouw pan pani pana fru bay bayan sayın avv ing eng arq dra drs ir geom rag dipl mgr inż lic me"
)
  .split(" ")
  .map((title) => `[${title.slice(0, 1)}${title.slice(0, 1).toUpperCase()}]${title.slice(1)}`)
  .join("|");
const SPACE = String.raw`[ \t\u00a0]`;
const WORD = String.raw`(?:(?:\p{Lu}\.){1,3}|\p{Lu}(?=${SPACE}\p{Lu})|(?:\p{Lu}['’](?=\p{Lu}))?\p{Lu}[\p{L}\p{M}]+(?:['’]\p{L}+|-\p{L}+)*)`;
const PARTICLE = String.raw`(?:(?:von|van|der|den|de|del|della|degli|di|da|dos|das|do|du|la|le|el|al|bin|ibn|ben|ter|ten|te|zu|zur|y|e|af|av|Van|De|Von) |[dlDL]['’]|['’]t )`;
const NAME = new RegExp(
  String.raw`^(?:${SPACE}|[:：="'*»«„“‘>|]){0,6}\n?(?:(?:(?:la|el|der|dem|den|die|de|il|o|a) )?(?:${TITLE})\.?${SPACE}){0,2}(?<value>(?!der )(?:${PARTICLE}){0,2}${WORD}(?:${SPACE}(?:${PARTICLE}){0,3}${WORD}){0,4})`,
  "u",
);
const IS_TITLE = new RegExp(`^(?:${TITLE})$`, "u");
const LOWER =
  /^[ \t:：="'*]{0,4}(?<value>\p{Ll}[\p{Ll}'’-]+(?: (?:van |von |de |da |di |der )?\p{Ll}[\p{Ll}'’-]+){0,2}?)(?=\s*(?:$|[.,;!?\n)"]|(?:and|und|et|y|e|en|i|och|ve|from|aus|i'm|i am)(?!\p{L})))/u;
/** Lower-case words that often follow "my name is" and the like. */
const NOT_LOWER =
  /^(?:wrong|missing|spel|misspel|listed|too|long|hard|already|still|falsch|schon|noch|zu|mal|mal|trop|déjà|(?:aux?|sur|dans|sull?[aeo]?|nell?[aeo]?|in|on|op|auf|på|na|no|en|w|do|em|med|avec)(?!\p{L})|ya|già|já|te|al|za|już|för|redan|fel|verkeerd|źle|errado|errato|incorrect|correct|different|private|unknown|optional|required|common|short|changed|secret|none)/u;

/** The capitalized words at the start of a text that can be a name. Words from the first that cannot on are left out. */
export function capitalized(rest: string, fewest: number): Span | null {
  const found = valueAtEnd(NAME, rest);
  if (found === null) return null;
  const [start] = found;
  let count = 0;
  let end = start;
  for (const { 0: word, index } of rest.slice(...found).matchAll(/[^ \t\u00a0]+/gu)) {
    // A label such as `Phone:` is no part of the name before it.
    const isLabel = /^\s?[:：]/u.test(rest.slice(start + index + word.length));
    const isNext = rest.slice(start + index + word.length).search(/^ \p{Lu}/u) === 0;
    const isParticle =
      isNext &&
      (/^(?:Le|La|El|Los|Den|De|Di|Lo|Li|Da|Dos|Del|Della|Ter|Ten)$/.test(word) ||
        // "Berk Can Demir": within a name
        (count > 0 && word.length <= 5));
    const isNoName = (isNotName(word) && !isParticle) || IS_TITLE.test(word);
    if ((isNoName && /^\p{Lu}/u.test(word)) || isLabel) break;
    if (/^(?:[dl]['’])?\p{Lu}/u.test(word)) {
      count += 1;
      end = start + index + word.length;
    }
  }
  // `Trail Runner 3` is a product, and one word in capitals is an abbreviation.
  const isProduct = /^[ -]\d/u.test(rest.slice(end));
  const value = rest.slice(start, end);
  const isAbbreviation = count === 1 && /^\p{Lu}{2,4}$/u.test(value);
  const isInitials = !/\p{L}{2}/u.test(value);
  return count < fewest || isProduct || isAbbreviation || isInitials ? null : [start, end];
}

export function lowerCase(rest: string): Span | null {
  const found = valueAtEnd(LOWER, rest);
  if (found === null) return null;
  const parts = rest.slice(...found).split(" ");
  return parts.some((part) => isNotName(part) || NOT_LOWER.test(part)) ? null : found;
}

/** One capitalized word before what must follow. */
export const alone = (rest: string, next: RegExp): Span | null => {
  const found = capitalized(rest, 1);
  return found !== null && next.test(rest.slice(found[1])) ? found : null;
};

/** A common given name in lower case, with the word after it if the clause ends there. */
export function givenName(rest: string): Span | null {
  const match = /^[ \t]{0,2}(?<first>\p{Ll}[\p{Ll}-]{1,14})(?![\p{L}\p{N}@._-]\p{L})/u.exec(rest);
  const first = match?.groups?.["first"] ?? "";
  if (match === null || !isGivenName(first)) return null;
  const whole = lowerCase(rest);
  const start = match[0].length - first.length;
  return whole !== null && whole[1] > match[0].length ? whole : [start, match[0].length];
}

/**
 * The rule for texts of which a part is typed in capitals: there, capitals begin no name. After an introduction in capitals it
 * finds only words in capitals that begin with a common given name.
 */
export function calm(rule: DetectionRule): DetectionRule {
  return {
    ...rule,
    locate: (text, match) => {
      const found = rule.locate(text, match);
      if (found === null) return null;
      const name = text.slice(...found);
      const isLoud = isUpperCase(match[0]) && isUpperCase(name);
      const [first = ""] = name.split(/[^\p{L}]/u);
      return isLoud && !isGivenName(first.toLowerCase()) ? null : found;
    },
  };
}

/** Whether a text has two or more letters, all of them in capitals. */
function isUpperCase(text: string): boolean {
  return /\p{Lu}.*\p{Lu}/su.test(text) && !/\p{Ll}/u.test(text);
}

/** What ends a line or a sentence. */
export const LINE_END: RegExp = /^[ \t]{0,2}(?:[.!,;]?[ \t]{0,2}(?:$|\n|\()|[.;])/u;
/** What ends a clause. */
export const CLAUSE_END: RegExp =
  /^(?:$|[.,;!?\n)"]| ?[–-] | (?:and|und|et|y|e|en|i|och|ve|but|aber|mais|pero|ma|mas|maar|ale|men|ama|who|der|die|qui|que|che|wie|który|która|som) )/u;

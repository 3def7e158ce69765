/**
 * Whole postal addresses, which a postcode ends, in any writing of their street. Streets without a postcode are in
 * `address.ts`.
 */
import { isNotName } from "./not-names.ts";
import { whole } from "./rule.ts";
import type { DetectionRule } from "./rule.ts";
import { PARTICLE, STREET_WORD } from "./street-word.ts";

const POSTCODE = String.raw`(?:(?:(?:D|A|CH|L|B|F|I|S|SE|PL|NL|P|E)-)?(?:\d{5}-\d{3,4}|\d{5}|\d{4} ?[A-Z]{2}(?!\p{L})|\d{2}-\d{3}|\d{4}-\d{3}|\d{3} \d{2}|(?!(?:19|20)\d\d)\d{4})|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d{2} ?[A-Z\d]{4}|[A-Z]{2} \d{5}(?:-\d{4})?)(?![\p{L}\d])`;
/** What stands between a part of an address and the next one. */
const GAP = String.raw`(?:,? ?\n ?|, ?| - | )`;
const CITY = String.raw`(?: (?:\p{Lu}\p{L}{0,2}\. )?\p{Lu}[\p{L}'’-]+(?:[ -](?:(?:de|del|la|le|am|an der|d['’]|sur|en|i|upon|of|do|da) ?)?\p{Lu}[\p{L}'’-]+){0,3}(?:\/\p{Lu}\p{L}+)?(?: (?:\([A-Z]{2}\)|[A-Z]{2}(?![\p{L}])|Cedex(?: \d{1,2})?))?)?`;
const START = String.raw`(?<![\p{L}\p{N}_#.,\-/])`;

const STREET_OF_LOWER =
  String.raw`(?:(?:ul|al|os|pl)\.?|ulica|aleja|via|viale|piazza|corso|vicolo|largo|calle|c\/|avenida|avda\.?|av\.?|plaza|paseo|camino|carretera|rua|travessa|praça|estrada|alameda|rue|avenue|boulevard|bd|chemin|impasse|allée|place|quai|route) (?:[\p{L}'’.]{1,20} ){1,4}?(?:n[º°.]? ?)?\d{1,4}[a-z]?(?:[/-]\d{1,4})?|` +
  String.raw`(?:[\p{L}]{2,12} )?[\p{L}-]{3,28}(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|gracht|kade|plein|dijk|singel|gatan|vägen|gränd|torget) \d{1,4} ?[a-z]?|` +
  String.raw`\d{1,5}[a-z]?(?: bis| ter)?,? (?:[\p{L}'’.]{1,20} ){1,3}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|blvd|boulevard|court|ct|close|way|place|terrace|crescent|gardens|row|hill)\.?|` +
  String.raw`\d{1,4}(?: bis| ter)?,? (?:rue|avenue|av|boulevard|bd|chemin|impasse|allée|place|quai|route|cours) (?:[\p{L}'’.]{1,20} ){0,3}[\p{L}'’.]{2,20}`;

export const POSTAL_ADDRESS_RULES: readonly DetectionRule[] = [
  // Am Alten Hafen 17, 24103 Kiel; 5 Tanner's Yard, Leeds LS2 7QB: read from the postcode to the left.
  {
    type: "ADDRESS",
    pattern: new RegExp(`(?<=[\\p{L}\\p{N}.º°ª)]${GAP})(?<!\\p{N} )${POSTCODE}${CITY}`, "gu"),
    locate: (text, { 0: match, index }) => {
      const start = startOfStreet(text, index, /\p{L}/u.test(match));
      return start === null ? null : [start, index + match.length];
    },
  },
  // In lower case.
  whole(
    "ADDRESS",
    new RegExp(
      `${START}(?:${STREET_OF_LOWER})(?:,? [^\\n,;:!?]{1,18}){0,1},? ${POSTCODE}(?: (?!by|at|for|and|bitte|danke|please|por|per|svp|um|ab|bis)\\p{L}{3,20}(?=\\s*(?:$|[\\n.,;!?)])))?`,
      "iu",
    ),
  ),
];

const IS_LOWER = new RegExp(
  `^(?:${STREET_WORD}|${PARTICLE}|lungomare|località|frazione|contrada)[.º°]?$`,
  "iu",
);
const IS_TOKEN =
  /^[(]?(?:(?:[dlDL]['’])?\p{Lu}[\p{L}\p{M}\d'’./-]*|[\d#][\p{L}\d./ªº°-]{0,9}|s\/n|n[º°.]\d{0,4})[)]?$/u;
const BEFORE_POSTCODE = 100;

/**
 * Where an address begins whose postcode is at `postcode`; `null` if what is before has no street with a number.
 * @param hasCity - whether a city follows the postcode.
 */
function startOfStreet(text: string, postcode: number, hasCity: boolean): number | null {
  const from = Math.max(0, postcode - BEFORE_POSTCODE);
  let end = postcode;
  let best: number | null = null;
  let hasNumber = false;
  for (let count = 0; count < 5 && end > from; count += 1) {
    const before = text.slice(from, end).replace(/(?:,? ?\n ?|, ?| - | )$/u, "");
    const cut = Math.max(
      before.lastIndexOf(","),
      before.lastIndexOf("\n"),
      before.lastIndexOf(":"),
      before.lastIndexOf(";"),
    );
    const chunk = before.slice(cut + 1);
    const tokens = [...chunk.matchAll(/[^ ]+/gu)];
    let first = tokens.length;
    while (first > 0 && isPart(tokens[first - 1]?.[0] ?? "")) first -= 1;
    // A sentence may end before the address, and its first word may have a capital letter.
    while (first < tokens.length && isFirstWord(tokens, first)) first += 1;
    const run = tokens.slice(first);
    const [head] = run;
    if (head === undefined) break;
    const words = run.map(([word]) => word).join(" ");
    const hasName = /\p{Lu}\p{L}|\p{Ll}{3}/u.test(words) && /\p{L}{3}/u.test(words);
    const start = from + cut + 1 + head.index;
    hasNumber ||= /\d|s\/n/u.test(words);
    if (hasNumber && hasName) best = start;
    const isWhole = first === 0 && text[from + cut] !== ":" && text[from + cut] !== ";";
    const isStreet = hasName && /\d|s\/n/u.test(words) && /\p{L}{4}/u.test(words);
    if (!isWhole || isStreet || best !== null) break;
    if (!hasCity && count > 2) break;
    end = from + cut + 1;
    if (text[end - 1] === "\n" || text[end - 1] === ",") end = Math.max(from, end);
  }
  return best;
}

const isPart = (word: string): boolean => IS_TOKEN.test(word) || IS_LOWER.test(word);
const isFirstWord = (tokens: readonly RegExpExecArray[], first: number): boolean => {
  const word = tokens[first]?.[0] ?? "";
  const next = tokens[first + 1]?.[0] ?? "";
  const isLowerParticle = /^\p{Ll}/u.test(word) && !IS_STREET.test(word) && word.length < 4;
  return (
    isLowerParticle ||
    (/^\p{Lu}\p{L}+$/u.test(word) &&
      isNotName(word) &&
      !/^(?:Am|Im|An|Auf|Alte|Het|De|Den|Le|La|El|Los|Las|Les|Neue|Neuer)$/u.test(word) &&
      next !== "")
  );
};
const IS_STREET = new RegExp(`^(?:${STREET_WORD})[.º°]?$`, "iu");

/** Houses, flats and estates before a street. */
const BUILDING =
  String.raw`(?:Flat|Apt\.?|Apartment|Unit|Suite|Floor|Room|Lot) ?#?\w{1,5}|\d{1,2}(?:er|e|ème|º|°|\.)? (?:étage|[Oo]bergeschoss|Stock|OG|piso|andar|piano)|(?:\p{Lu}[\p{L}'’]+ ){1,2}(?:House|Cottage|Farm|Court|Lodge|Building|Towers?|Hall|Mansions|Mill|Barn|Villa|Heights|Apartments|Estate|Centre|Center|Blok|Sitesi|Apartmanı)|` +
  String.raw`(?:[Rr]ésid(?:ence|\.)|[Rr]esidencia|[Rr]esidenza|[Rr]esidencial|[Ee]dif[ií]cio|[Uu]rb(?:anización|\.)|[Cc]onjunto|[Cc]ondom[ií]nio|[Bb]ât(?:iment|\.)|[Ii]mm(?:euble|\.)|[Ll]ieu-dit|[Hh]ameau|[Ll]otissement|[Ss]alle|[Ss]ítio|[Ff]azenda|[Qq]uinta|[Cc]hácara|[Pp]alazzo|[Cc]ascina|[Ff]inca|[Cc]ortijo|[Zz]ona [Ii]ndustrial\p{L}?|Hof|Gut|Haus|Hinterhaus|Gebäude|[Oo]siedle|[Oo]s\.|[Bb]lok|[Bb]udynek|Villa|[Tt]orre|[Bb]loco|[Bb]loque|[Ss]cala|Rose Cottage)[^\n,;:]{1,28}`;
const BEFORE_STREET = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${BUILDING})(?:, ?(?:[Bb][âa]t\.?|[Ee]sc\.?|[Ss]cala|[Bb]l\.?|[Aa]pt\.?|[Ff]lat|\p{Lu}\p{Ll}+)? ?[^\n,;:]{0,14}){0,2}(?:,|\n|,\n| [-–]|,? ?)[ \t]?$`,
  "u",
);

/** Where an address begins that has a building or a flat before its street. */
export function startOfAddress(text: string, street: number): number {
  const from = Math.max(0, street - 80);
  const found = BEFORE_STREET.exec(text.slice(from, street));
  return found === null ? street : from + found.index;
}

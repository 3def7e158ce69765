/** Names at the end of a message: the last line, under a closing. Closings with a comma in one line are in `name.ts`. */
import { isGivenName } from "./given-names.ts";
import { capitalized } from "./name-shape.ts";
import type { DetectionRule } from "./rule.ts";

/** A last line after a line's end, and a line with a role or a place after it. */
const LAST_LINES =
  /^(?<space>\n[ \t\n]{0,6}[-–—~]{0,2} ?)(?<line>\p{Lu}[^\n\d:;,!?@/[\]()]{1,40})\.?[ \t]{0,3}(?:\n(?<after>[^\n]{1,60}))?\s{0,4}$/u;
/** Longest text after the line before: longer ones are not read. */
const LONGEST = 120;
/** Words of closings. One in a short line before the last makes that a signature. */
const CLOSING_WORD =
  /(?<!\p{L})(?:regards|wishes|thanks?|thankful|thx|cheers|gratitude|sincerely|yours|faithfully|truly|love|bye|ttyl|take care|speak soon|see you|best|respectfully|gr(?:ü|ue)(?:ß|ss)\p{L}{0,3}|dank\p{L}{0,2}|hochachtungsvoll|herzlich\p{L}{0,2}|tschüs{1,2}|ciao|servus|liebe|schönen|schönes|cordialement|salutations|sentiments|merci|amicalement|bises|bisous|bientôt|bonne|bon|belle|respectueusement|saludos?|atentamente|atte|gracias|abrazos?|besos|espera|buen|buenas?|feliz|cordialmente|saluti|saluto|grazie|distinti|cordiali|presto|fede|buona|buon|bacioni?|baci|cumprimentos|atenciosamente|obrigad[oa]|abraços?|beijos?|beijinhos|agradeço|boa|bom|até|groet(?:en|jes)?|bedankt|dank|liefs|hoogachtend|fijne|prettige|tot|pozdrawiam|pozdrowienia|poważaniem|szacunkiem|wyrazami|dziękuję|dzięki|miłego|hälsning(?:ar|en)?|vänligen|tack|mvh|kram|hej då|hörs|ha det|ha en|trevlig|saygılar\p{L}{0,9}|sevgiler\p{L}{0,5}|teşekkür\p{L}{0,6}|iyi|kolay|selam\p{L}{0,4}|hoşça)(?!\p{L})/iu;

export const SIGNATURE_RULES: readonly DetectionRule[] = [
  {
    type: "NAME",
    beforePlaceholder: false,
    pattern: /\n/gu,
    locate: (text, { index }) => {
      if (text.length - index > LONGEST) return null;
      const match = LAST_LINES.exec(text.slice(index));
      const { space = "", line = "", after } = match?.groups ?? {};
      const before =
        text
          .slice(Math.max(0, index - LONGEST), index)
          .split("\n")
          .at(-1) ?? "";
      const start = index + space.length;
      const found = capitalized(text.slice(start, start + 60), 1);
      if (match === null || before === "" || found?.[0] !== 0) return null;
      const rest = line.slice(found[1]).replace(/[. \t]/gu, "");
      const first = /^\p{L}+/u.exec(line)?.[0] ?? "";
      const isOneWord = !/\s/u.test(line.trim());
      const isClosing = before.split(" ").length <= 7 && CLOSING_WORD.test(before);
      const isEnd = after === undefined && /[,.!?)]\s*$/u.test(before);
      const isSigned =
        isClosing ||
        /[-–—~]/u.test(space) ||
        (isEnd && isGivenName(first)) ||
        (after === undefined && /,\s*$/u.test(before) && !isOneWord);
      return rest === "" && isSigned ? [start, start + found[1]] : null;
    },
  },
];

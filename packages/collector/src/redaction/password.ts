import { introduced } from "./rule.ts";
import type { DetectionRule } from "./rule.ts";
import { words } from "./surroundings.ts";

const ANNOUNCED = words(
  "(?:pass(?:word|wd|code|phrase|wort)?|pwd|pw|pin(?:[ -]?code|-?nummer)?|kennwort|mot de passe|mdp|code secret|contrase[nñ]a|clave|" +
    "password|parola d['’]ordine|senha|palavra[ -]passe|wachtwoord|pincode|has[lł]o|l[oö]senord\\p{L}*|şifre\\p{L}*|sifre\\p{L}*|parola\\p{L}*|" +
    "パスワード|暗証番号)",
  "",
);

/** `: `, ` = `, ` is ` and the like, after up to five other words, as in "password for the account is …". */
const CONNECTION =
  /^(?:(?:(?:\s\p{L}[\p{L}'’.-]{0,20}){0,6}?)\s(?:is|was|lautet|heißt|c['’]est|set to|ist|war|est|era|es|è|é|jest|to|brzmi|är|:)(?!\p{L})|["']?\s?[:：=は]|(?=\s\S{0,40}\d))\s{0,3}[:：]?\s?/iu;

const QUOTED = /^(["'`“„«「])([^\n"'`”“»」]{4,64})["'`”“»」]/u;
const TOKEN = /^[^\s"'`“”„«»「」、。]{4,64}/u;

/** A digit, a symbol or a capital within: no word of a sentence. */
function looksChosen(token: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(token)) return false;
  const hasDigitOrSymbol = /\d|[^\p{L}\p{N}.,'’\-/:]/u.test(token.replace(/[!?]+$/, ""));
  return (
    hasDigitOrSymbol ||
    /\p{Ll}\p{Lu}/u.test(token) ||
    /^(?:[^-.,/:]{18,}|\p{L}+(?:-\p{L}+){3,})$/u.test(token)
  );
}

/** Passwords in URLs and after words that announce them. */
export const PASSWORD_RULES: readonly DetectionRule[] = [
  introduced("PASSWORD", /[a-z]\w{1,11}:\/\/[^\s/:@]{1,64}:/iu, (rest) => {
    const match = /^[^\s/@]{1,64}(?=@)/u.exec(rest);
    return match && [0, match[0].length];
  }),
  introduced("PASSWORD", new RegExp(ANNOUNCED, "iu"), (rest) => {
    const connection = CONNECTION.exec(rest);
    if (connection === null) return null;
    const start = connection[0].length;
    const value = rest.slice(start);
    const quoted = QUOTED.exec(value);
    if (quoted) return [start + 1, start + quoted[0].length - 1];
    const token = TOKEN.exec(value)?.[0].replace(/[.,;:)\]}]+$/u, "");
    if (token === undefined || token.length < 4 || /^\[\p{Lu}+_\d+$/u.test(token)) return null;
    return looksChosen(token) ? [start, start + token.length] : null;
  }),
];

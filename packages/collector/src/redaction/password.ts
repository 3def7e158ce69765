import { introduced, valueAtEnd, whole } from "./rule.ts";
import type { DetectionRule } from "./rule.ts";
import { words } from "./surroundings.ts";

const ANNOUNCED = words(
  "(?:pass(?:word|wd|code|phrase|wort)?|pwd|pw|pin(?:[ -]?code|-?nummer|[ -]?kod\\p{L}*)?|kennwort|mot de passe|mdp|code secret|contrase[nñ]a|clave|" +
    "password|parola d['’]ordine|senha|palavra[ -]passe|wachtwoord|pincode|has[lł]\\p{L}{1,3}|l[oö]sen(?:ord\\p{L}*)?|(?:zugangs|sicherheits|tür)-?code|(?:security|access|door|unlock|gate|alarm|entry) code|code d['’]accès|c[óo]d(?:igo|ice) (?:de|di) (?:acc?eso|acesso|seguridad|segurança|sicurezza)|toegangscode|kod dostępu|portkod\\p{L}{0,2}|şifre\\p{L}*|sifre\\p{L}*|parola\\p{L}*|" +
    "パスワード|暗証番号|パス(?=[ 　:：]))",
  "",
);

/** `: `, ` = `, ` is ` and the like, after up to five other words, as in "password for the account is …". */
const CONNECTION =
  /^(?:(?:(?:\s\p{L}[\p{L}'’.-]{0,20}){0,6}?),?\s(?:is|was|était|było|var|lautet|heißt|c['’]est|set to|ist|war|est|era|es|è|é|jest|to|brzmi|är|:)(?!\p{L})|(?:\s\p{L}{1,20}){0,2}["']?\s?[:：=はを]|['’]s(?=\s)|(?=\s\S{0,40}\d))\s{0,3}[:：]?\s?/iu;

const QUOTED = /^(["'`“„«「])([^\n"'`”“»」]{4,64})["'`”“»」]/u;
/** Words joined by dots or hyphens, such as `blue.horse`, alone after a label such as `Password:`. */
const JOINED =
  /^(?!(?:case|non|two|multi|auto|re|pre|self|not|user|server|one|all|un|e|read|write)-)\p{L}{2,}(?:[._+-]\p{L}+){1,5}(?=["'”»」]?[.,;]?\s*(?:$|\n))/iu;
const TOKEN =
  /^(?:[!-~]{4,64}(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])|[^\s"'`“”„«»「」、。]{4,64})/u;

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

/** A small letter, a digit, and a capital or a symbol within: no model of a phone such as `iPhone-15`. */
const looksMixed = (token: string): boolean =>
  token.length >= 6 &&
  /\p{Ll}/u.test(token) &&
  /\d/.test(token) &&
  /(?!^)\p{Lu}|(?<=.)[^\p{L}\p{N}](?=.)/u.test(token) &&
  !/^(?:(?:i?\p{Lu}\p{L}+|\p{Ll}+|\p{Ll}\p{Lu}\p{L}+)[.-]?\d{1,2}|\p{L}{1,4}[.-]?\d+\p{L}{0,2}|\d.*|.*\.\p{L}{2,4})$/u.test(
    token.replace(/[.,;:!?)]+$/, ""),
  );

const STRONG_TOKEN = String.raw`["'“„«「]?(?<value>(?=\S*\d)[^\s"'“”„«»「」、。@\[\]()<>]{5,63}[^\s"'“”„«»「」、。@\[\]()<>.,;:!?])`;
const LATER = new RegExp(
  String.raw`^(?:[,;:]?\s\p{L}[\p{L}'’]{0,20}){0,5}?[,;:]?\s${STRONG_TOKEN}`,
  "u",
);
const USED = new RegExp(
  String.raw`^[^\n]{0,30}?(?:use[ds]?|using|benutz\p{L}*|verwend\p{L}*|utilis\p{L}*|j['’]avais|us(?:o|avo|aba|ava|é|ei|amos)|ho usato|gebruik\p{L}*|używa\p{L}*|miał[ae]m|använ[dt]\p{L}*|hade|kullan\p{L}*)(?: \p{L}{2,12}){0,2} ${STRONG_TOKEN}`,
  "iu",
);
const ACCOUNT = words(
  "accounts?|profil\\p{L}{0,3}|kont[oa]\\p{L}{0,2}|cuenta|conta|compte|hesab\\p{L}*|hacked|gehackt|alarm\\p{L}{0,2}|larm\\p{L}{0,2}|router|wi-?fi|wlan",
);
const NAMED_AFTERWARDS =
  String.raw`(?<![^\s"'“„«「])[^\s"'“”„«»「」、。]{4,64}(?=["'”»“」]? (?:as|als|comme|como|come|jako|som|olarak|(?:is|was|ist|war|est|était|es|era|è|é|to|było|är|var) (?:my|mein|mon|mi|la mia|a minha|minha|mijn|moje|mitt)) (?:\p{L}{1,12} ){0,2}?` +
  "(?:password|passwor[td]|passcode|pin|kennwort|mot de passe|mdp|contrase[nñ]a|clave|senha|palavra-passe|wachtwoord|has[lł]o|l[oö]senord|şifre|parola))|" +
  String.raw`(?<![!-~])[!-~]{4,64}(?=[」』"]?を?(?:パスワード|暗証番号)に)`;

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
    const joined = /[:：=]\s*$/u.test(connection[0]) ? JOINED.exec(value) : null;
    if (joined) return [start, start + joined[0].length];
    const token = TOKEN.exec(value)?.[0].replace(/[.,;:)\]}]+$/u, "");
    if (token === undefined || token.length < 4 || /^\[\p{Lu}+_\d+$/u.test(token)) return null;
    return looksChosen(token) ? [start, start + token.length] : null;
  }),
  // "the password that you sent, Xk7-pQ2m, expired"
  introduced("PASSWORD", new RegExp(ANNOUNCED, "iu"), (rest) => {
    const found = valueAtEnd(LATER, rest);
    return found !== null && looksMixed(rest.slice(...found)) ? found : null;
  }),
  // "somebody is in my account, I used summerIn77 everywhere"
  introduced("PASSWORD", new RegExp(ACCOUNT, "iu"), (rest) => {
    const found = valueAtEnd(USED, rest);
    return found !== null && looksMixed(rest.slice(...found)) ? found : null;
  }),
  // "I chose Blue-Horse-77 as the new password"
  whole("PASSWORD", new RegExp(NAMED_AFTERWARDS, "iu"), looksChosen),
  introduced(
    "PASSWORD",
    /(?<!\S)(?:login|sshpass|mysql|mysqldump|psql)(?!\S)[^\n]{0,60}? (?:--password|--pass|-p)[ =]?|(?<!\S)-u [^\s:]{1,40}:/u,
    (rest) => {
      const token = /^[^\s"']{4,64}/u.exec(rest)?.[0] ?? "";
      return /\p{L}/u.test(token) && looksChosen(token) ? [0, token.length] : null;
    },
  ),
];

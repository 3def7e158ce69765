import { whole } from "./rule.ts";
import { JAPANESE } from "./surroundings.ts";
import type { DetectionRule } from "./rule.ts";

const LETTER = String.raw`(?![${JAPANESE}])[\p{L}\p{N}]`;
const AT =
  "at|ät|et|arobase|arrobas?|chiocciola|apenstaartje|małpa|snabel-?a|kuyruklu a|klammeraffe|aapje|アットマーク|アット";
const DOT = "dot|punkt|point|punto|ponto|punt|kropka|nokta|prick|ドット";
const LAST =
  "com|net|org|edu|gov|info|biz|io|dev|app|eu|uk|us|ie|ca|au|nz|de|at|ch|fr|be|lu|es|mx|ar|it|jp|nl|pl|pt|br|se|fi|no|dk|tr|shop|online|example|test|mail";

/** E-mail addresses, also with `(at)` and `[dot]`, and spelled as people say them. */
export const EMAIL_RULES: readonly DetectionRule[] = [
  whole(
    "EMAIL",
    new RegExp(
      String.raw`(?:(?![${JAPANESE}])[\p{L}\p{N}._%+'-]){1,64}@(?:(?:${LETTER}|-){1,63}\.){1,8}(?!(?:png|jpe?g|gif|webp|svg)(?!\p{L}))(?:(?![${JAPANESE}])\p{L}){2,24}`,
      "u",
    ),
  ),
  whole(
    "EMAIL",
    new RegExp(
      String.raw`(?<![\p{L}\p{N}._%+-])(?:${LETTER}|[._%+-]){1,64} ?[([{](?:at|@|${AT})[)\]}] ?(?:${LETTER}|-){1,63}(?:(?: ?[([{](?:\.|${DOT})[)\]}] ?|\.| (?:${DOT}) )(?:${LETTER}|-){2,24}){1,4}`,
      "iu",
    ),
  ),
  // "lola dot finch at example dot com": it ends with the name of a top-level domain.
  whole(
    "EMAIL",
    new RegExp(
      String.raw`(?<![\p{L}\p{N}._%+-])(?:${LETTER}|[._%+-]){2,40}(?: (?:${DOT}|underscore|minus|dash|bindestrich|tiret|guion|trattino|plus) (?:${LETTER}|[._%+-]){1,30}){0,3} (?:${AT}) (?:${LETTER}|-){1,40}(?:(?: (?:${DOT}) |\.)(?:${LETTER}|-){2,20}){0,2}(?: (?:${DOT}) |\.)(?:${LAST})(?![\p{L}\p{N}])`,
      "iu",
    ),
  ),
];

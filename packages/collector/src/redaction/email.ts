import { whole } from "./rule.ts";
import { JAPANESE } from "./surroundings.ts";
import type { DetectionRule } from "./rule.ts";

/** E-mail addresses, also with `(at)` and `[dot]`. */
export const EMAIL_RULES: readonly DetectionRule[] = [
  whole(
    "EMAIL",
    new RegExp(
      String.raw`(?:(?![${JAPANESE}])[\p{L}\p{N}._%+'-]){1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?!(?:png|jpe?g|gif|webp|svg)(?!\p{L}))(?:(?![${JAPANESE}])\p{L}){2,24}`,
      "u",
    ),
  ),
  whole(
    "EMAIL",
    /[\p{L}\p{N}._%+-]{1,64} ?[([{](?:at|@)[)\]}] ?[\p{L}\p{N}-]{1,63}(?:(?: ?[([{](?:dot|punkt|point|punto|\.)[)\]}] ?|\.)[\p{L}\p{N}-]{2,24}){1,4}/iu,
  ),
];

/** The wordings of people who are choosy: they leave something out, set conditions, or want a place in an order. */
import type { SomeWordings } from "../../plain.ts";
import { CHOOSY_BEST_WISHES } from "./best-wishes.ts";
import { CHOOSY_BEST_WITHIN_LIMIT } from "./best-within-limit.ts";
import { CHOOSY_CONDITIONS } from "./conditions.ts";
import { CHOOSY_EITHER_OR } from "./either-or.ts";
import { CHOOSY_EXCLUSION_QUESTIONS } from "./exclusion-questions.ts";
import { CHOOSY_EXCLUSION_WISHES } from "./exclusion-wishes.ts";
import { CHOOSY_RANKS } from "./ranks.ts";
import { CHOOSY_TWO_ATTRIBUTES } from "./two-attributes.ts";

/** The order decides which patterns are held out. */
export const CHOOSY: readonly SomeWordings[] = [
  CHOOSY_EXCLUSION_QUESTIONS,
  CHOOSY_EXCLUSION_WISHES,
  CHOOSY_BEST_WISHES,
  CHOOSY_TWO_ATTRIBUTES,
  CHOOSY_EITHER_OR,
  CHOOSY_CONDITIONS,
  CHOOSY_RANKS,
  CHOOSY_BEST_WITHIN_LIMIT,
];

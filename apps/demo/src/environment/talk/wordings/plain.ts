/** The wordings by kind of request, in no voice in particular. */
import { ADDITIONS_BY_CHOICE } from "./additions-by-choice.ts";
import { ADDITIONS } from "./additions.ts";
import { CART_CHANGES } from "./cart-changes.ts";
import { CART_FACTS } from "./cart-facts.ts";
import { CART_LINES } from "./cart-lines.ts";
import { CHECKS } from "./checks.ts";
import { CONDITIONS } from "./conditions.ts";
import { CORRECTIONS } from "./corrections.ts";
import { DESCRIBED } from "./described/index.ts";
import { DEPENDENT_WISHES } from "./dependent-wishes.ts";
import { EITHER_OR } from "./either-or.ts";
import { EXCLUSIONS } from "./exclusions.ts";
import { FOLLOW_QUESTION_WORDINGS } from "./follow-questions.ts";
import { FOLLOW_UPS } from "./follow-ups.ts";
import { FRAGMENTS } from "./fragments.ts";
import { LISTS } from "./lists.ts";
import { MIXED_WISHES } from "./mixed-wishes.ts";
import { MONEY_QUESTIONS } from "./money-questions.ts";
import { OTHER_LANGUAGES } from "./other-languages.ts";
import { OTHER_SUBJECT_WORDINGS } from "./other-subjects/index.ts";
import { OUT_OF_SCOPE } from "./out-of-scope.ts";
import { PRODUCT_QUESTIONS } from "./product-questions.ts";
import { RANGE_QUESTIONS } from "./range-questions.ts";
import { RANKS } from "./ranks.ts";
import { REFUSALS } from "./refusals.ts";
import { RELATIVE_NUMBERS } from "./relative-numbers.ts";
import { SELF_CORRECTIONS } from "./self-corrections.ts";
import { SEVERAL_CHANGES } from "./several-changes.ts";
import { SHOP_SERVICE_WORDINGS } from "./shop-services/index.ts";
import { SMALL_TALK } from "./small-talk.ts";
import { SUMS } from "./sums.ts";
import { SWAP_WORDINGS } from "./swaps.ts";
import { TWO_ATTRIBUTES } from "./two-attributes.ts";
import { UNCLEAR } from "./unclear.ts";
import { UNKNOWN_THINGS } from "./unknown-things.ts";
import { UNSOLD } from "./unsold.ts";
import type { Wordings } from "./wordings.ts";

/** A kind of request. */
export type WordingKind = keyof (typeof PRODUCT_QUESTIONS &
  typeof RANGE_QUESTIONS &
  typeof MONEY_QUESTIONS &
  typeof ADDITIONS &
  typeof ADDITIONS_BY_CHOICE &
  typeof CART_CHANGES &
  typeof CONDITIONS &
  typeof CORRECTIONS &
  typeof FOLLOW_UPS &
  typeof UNCLEAR &
  typeof OUT_OF_SCOPE &
  typeof SMALL_TALK &
  typeof OTHER_LANGUAGES &
  typeof SELF_CORRECTIONS &
  typeof REFUSALS &
  typeof EXCLUSIONS &
  typeof DEPENDENT_WISHES &
  typeof LISTS &
  typeof CHECKS &
  typeof EITHER_OR &
  typeof RANKS &
  typeof SUMS &
  typeof TWO_ATTRIBUTES &
  typeof CART_LINES &
  typeof RELATIVE_NUMBERS &
  typeof SWAP_WORDINGS &
  typeof CART_FACTS &
  typeof UNKNOWN_THINGS &
  typeof SEVERAL_CHANGES &
  typeof FOLLOW_QUESTION_WORDINGS &
  typeof OTHER_SUBJECT_WORDINGS &
  typeof SHOP_SERVICE_WORDINGS &
  typeof UNSOLD &
  typeof MIXED_WISHES &
  typeof FRAGMENTS &
  typeof DESCRIBED);

/** Patterns of each kind. */
export const PLAIN: Wordings<WordingKind> = {
  ...PRODUCT_QUESTIONS,
  ...RANGE_QUESTIONS,
  ...MONEY_QUESTIONS,
  ...ADDITIONS,
  ...ADDITIONS_BY_CHOICE,
  ...CART_CHANGES,
  ...CONDITIONS,
  ...CORRECTIONS,
  ...FOLLOW_UPS,
  ...UNCLEAR,
  ...OUT_OF_SCOPE,
  ...SMALL_TALK,
  ...OTHER_LANGUAGES,
  ...SELF_CORRECTIONS,
  ...REFUSALS,
  ...EXCLUSIONS,
  ...DEPENDENT_WISHES,
  ...LISTS,
  ...CHECKS,
  ...EITHER_OR,
  ...RANKS,
  ...SUMS,
  ...TWO_ATTRIBUTES,
  ...CART_LINES,
  ...RELATIVE_NUMBERS,
  ...SWAP_WORDINGS,
  ...CART_FACTS,
  ...UNKNOWN_THINGS,
  ...SEVERAL_CHANGES,
  ...FOLLOW_QUESTION_WORDINGS,
  ...OTHER_SUBJECT_WORDINGS,
  ...SHOP_SERVICE_WORDINGS,
  ...UNSOLD,
  ...MIXED_WISHES,
  ...FRAGMENTS,
  ...DESCRIBED,
};

/** Patterns of some kinds. */
export type SomeWordings = Partial<Wordings<WordingKind>>;

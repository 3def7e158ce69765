/** How people say what they want, ask or choose by a description. */
import type { Wordings } from "../wordings.ts";
import { DESCRIBED_ADDITIONS } from "./additions.ts";
import { DESCRIBED_AVAILABILITY } from "./availability.ts";
import { DESCRIBED_CHOICES } from "./choices.ts";
import { DESCRIBED_CONDITIONS } from "./conditions.ts";
import { DESCRIBED_LISTS } from "./lists.ts";
import { DESCRIBED_NUMBERS } from "./numbers.ts";
import { DESCRIBED_PRICES } from "./prices.ts";
import { DESCRIBED_QUESTIONS } from "./questions.ts";
import { DESCRIBED_SWAPS } from "./swaps.ts";

type DescribedKind = keyof (typeof DESCRIBED_ADDITIONS &
  typeof DESCRIBED_NUMBERS &
  typeof DESCRIBED_CONDITIONS &
  typeof DESCRIBED_SWAPS &
  typeof DESCRIBED_QUESTIONS &
  typeof DESCRIBED_PRICES &
  typeof DESCRIBED_AVAILABILITY &
  typeof DESCRIBED_LISTS &
  typeof DESCRIBED_CHOICES);

export const DESCRIBED: Wordings<DescribedKind> = {
  ...DESCRIBED_ADDITIONS,
  ...DESCRIBED_NUMBERS,
  ...DESCRIBED_CONDITIONS,
  ...DESCRIBED_SWAPS,
  ...DESCRIBED_QUESTIONS,
  ...DESCRIBED_PRICES,
  ...DESCRIBED_AVAILABILITY,
  ...DESCRIBED_LISTS,
  ...DESCRIBED_CHOICES,
};

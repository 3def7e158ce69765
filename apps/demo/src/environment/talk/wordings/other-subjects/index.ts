/** What people ask a shop's assistant that has nothing to do with shopping, by subject. */
import { patternsOf, type Subject } from "../subject.ts";
import type { Wordings } from "../wordings.ts";
import { ERRAND_SUBJECTS } from "./errands.ts";
import { GOODS_SUBJECTS } from "./goods.ts";
import { LEISURE_SUBJECTS } from "./leisure.ts";
import { TROUBLE_SUBJECTS } from "./troubles.ts";
import { WORLD_SUBJECTS } from "./world.ts";

export const OTHER_SUBJECTS: readonly Subject[] = [
  ...WORLD_SUBJECTS,
  ...LEISURE_SUBJECTS,
  ...ERRAND_SUBJECTS,
  ...TROUBLE_SUBJECTS,
  ...GOODS_SUBJECTS,
];

/** Their patterns as a kind of request. */
export const OTHER_SUBJECT_WORDINGS: Wordings<"other-subject"> = {
  "other-subject": patternsOf(OTHER_SUBJECTS),
};

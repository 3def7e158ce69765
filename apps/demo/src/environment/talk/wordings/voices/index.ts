/** The voices that people type in: the wordings of each, by kind of request. */
import type { SomeWordings } from "../plain.ts";
import { BRIEF_CHANGES } from "./brief-changes.ts";
import { BRIEF_QUESTIONS } from "./brief-questions.ts";
import { BRIEF_TURNS } from "./brief-turns.ts";
import { CAREFUL_CHANGES } from "./careful-changes.ts";
import { CAREFUL_DOUBTS } from "./careful-doubts.ts";
import { CAREFUL_QUESTIONS } from "./careful-questions.ts";
import { CAREFUL_TURNS } from "./careful-turns.ts";
import { BUSY_CHANGES } from "./busy-changes.ts";
import { BUSY_CONDITIONS } from "./busy-conditions.ts";
import { BUSY_QUESTIONS } from "./busy-questions.ts";
import { BUSY_TURNS } from "./busy-turns.ts";
import { CHATTY_CHANGES } from "./chatty-changes.ts";
import { CHATTY_QUESTIONS } from "./chatty-questions.ts";
import { CHATTY_TURNS } from "./chatty-turns.ts";
import { CHOOSY } from "./choosy/index.ts";
import { COUNTING } from "./counting/index.ts";
import { CURIOUS_CHANGES } from "./curious-changes.ts";
import { CURIOUS_DOUBTS } from "./curious-doubts.ts";
import { CURIOUS_QUESTIONS } from "./curious-questions.ts";
import { CURIOUS_TURNS } from "./curious-turns.ts";
import { FORMAL_CHANGES } from "./formal-changes.ts";
import { FORMAL_QUESTIONS } from "./formal-questions.ts";
import { FORMAL_TURNS } from "./formal-turns.ts";
import { INDIRECT_CHANGES } from "./indirect-changes.ts";
import { INDIRECT_QUESTIONS } from "./indirect-questions.ts";
import { INDIRECT_TURNS } from "./indirect-turns.ts";
import { LEARNER_CHANGES } from "./learner-changes.ts";
import { LEARNER_QUESTIONS } from "./learner-questions.ts";
import { LEARNER_TURNS } from "./learner-turns.ts";
import { REGIONAL_CHANGES } from "./regional-changes.ts";
import { REGIONAL_QUESTIONS } from "./regional-questions.ts";
import { REGIONAL_TURNS } from "./regional-turns.ts";
import { SEEKING_TURNS } from "./seeking-turns.ts";
import { SPOKEN_CHANGES } from "./spoken-changes.ts";
import { SPOKEN_QUESTIONS } from "./spoken-questions.ts";
import { SPOKEN_TURNS } from "./spoken-turns.ts";
import { TEEN_CHANGES } from "./teen-changes.ts";
import { TEEN_DOUBTS } from "./teen-doubts.ts";
import { TEEN_QUESTIONS } from "./teen-questions.ts";
import { TEEN_TURNS } from "./teen-turns.ts";
import { UNDECIDED } from "./undecided/index.ts";

/** The order decides which patterns are held out, so a new voice goes to the end. */
export const VOICES: readonly SomeWordings[] = [
  CHATTY_QUESTIONS,
  CHATTY_CHANGES,
  CHATTY_TURNS,
  FORMAL_QUESTIONS,
  FORMAL_CHANGES,
  FORMAL_TURNS,
  INDIRECT_QUESTIONS,
  INDIRECT_CHANGES,
  INDIRECT_TURNS,
  LEARNER_QUESTIONS,
  LEARNER_CHANGES,
  LEARNER_TURNS,
  REGIONAL_QUESTIONS,
  REGIONAL_CHANGES,
  REGIONAL_TURNS,
  SPOKEN_QUESTIONS,
  SPOKEN_CHANGES,
  SPOKEN_TURNS,
  BRIEF_QUESTIONS,
  BRIEF_CHANGES,
  BRIEF_TURNS,
  TEEN_QUESTIONS,
  TEEN_CHANGES,
  TEEN_TURNS,
  TEEN_DOUBTS,
  CAREFUL_QUESTIONS,
  CAREFUL_CHANGES,
  CAREFUL_TURNS,
  CAREFUL_DOUBTS,
  BUSY_CHANGES,
  BUSY_QUESTIONS,
  BUSY_TURNS,
  CURIOUS_QUESTIONS,
  CURIOUS_CHANGES,
  CURIOUS_TURNS,
  BUSY_CONDITIONS,
  CURIOUS_DOUBTS,
  ...CHOOSY,
  ...UNDECIDED,
  SEEKING_TURNS,
  ...COUNTING,
];

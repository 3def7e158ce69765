/** A prompt of the judge. Whoever changes the text changes the version: it is recorded in what is learned. */
export type JudgePrompt = {
  readonly version: string;
  /** Instructions. Texts of visitors and answers are never part of them. */
  readonly text: string;
};

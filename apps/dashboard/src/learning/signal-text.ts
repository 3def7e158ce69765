/** Words for the names of signals. */

const WORDS: { readonly [signal: string]: string } = {
  verifier: "Verifier of practice tasks",
  thumb: "Thumbs",
  correction: "Text of corrections",
  undo: "Undone actions",
  edit: "Edited answers",
  staff: "Answers of staff",
  "message:next-thanks": "Next message thanks",
  "message:next-repeats": "Next message repeats",
  "message:next-corrects": "Next message corrects",
  "message:next-contradicts": "Next message contradicts",
  "message:retry": "Retry",
  "judge:messages": "Next message, read by a judge",
  "judge:requests": "Requests tried again, ranked by a judge",
};

/** `outcome:booked` as `Outcome booked`; a name of a newer edge as it is. */
export function signalText(signal: string): string {
  if (Object.hasOwn(WORDS, signal)) return WORDS[signal] as string;
  const [, metric] = /^outcome:(.+)$/.exec(signal) ?? [];
  return metric === undefined ? signal : `Outcome ${metric}`;
}

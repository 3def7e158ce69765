/** Words for reasons of the trainer whose name says too little to an operator. */

/** What a reason means; the reason itself if its name says it. */
export function reasonText(reason: string): string {
  const found = /^replay-mismatch(?: at (turn \d+))?$/.exec(reason);
  if (found === null) return reason;
  const [, turn] = found;
  const place = turn === undefined ? "in what the model reads" : `at ${turn}`;
  return `the site's page and its environment disagree ${place}`;
}

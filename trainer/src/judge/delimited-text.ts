/** Texts of strangers as data in a judge's prompt: each between two markers that the text cannot contain. */

/** Characters of one text that the judge reads. */
const LONGEST = 4000;

/** A named text. */
export type NamedText = readonly [name: string, text: string];

/**
 * One message with all texts.
 *
 * @param mark - drawn for this message, so that nobody can have written it into a text.
 */
export function delimited(texts: readonly NamedText[], mark: string): string {
  return texts
    .map(([name, text]) => `<<<${name} ${mark}>>>\n${shortened(text)}\n<<<end ${mark}>>>`)
    .join("\n\n");
}

/** Beginning and end of a long text. */
function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  const half = LONGEST / 2;
  return `${text.slice(0, half)}\n[${text.length - LONGEST} characters left out]\n${text.slice(-half)}`;
}

/**
 * Puts a text after the visitor's request in a recorded sequence, in token space: all other tokens stay as they were
 * sampled. Works with every chat template, because the template itself renders the text.
 */
import type { PartPorts } from "@waggle/learning";
import type { SegmentRole, TrainSequence } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** @param contextLength - a longer sequence is refused. */
export function hintedSequences(
  format: Pick<ChatFormat, "next">,
  contextLength: number,
): NonNullable<PartPorts["hinted"]> {
  const rendered = (userMessage: string): number[] =>
    format.next({ userMessage, sampledEnded: true }).flatMap(({ tokenIds }) => tokenIds);
  return ({ record, samples }, index, text) => {
    const sample = samples[index];
    const [first] = sample?.spans ?? [];
    if (sample === undefined || first === undefined) return null;
    const request = record.segments.find(({ id }) => id === first.segment.parent);
    if (request === undefined || !isGiven(request, "user")) return null;
    const [without, withText] = [rendered(""), rendered(` ${text}`)];
    const before = sharedStart(without, withText);
    const end = without.slice(before);
    const tokens = withText.slice(before, withText.length - end.length);
    const { length } = request.tokenIds;
    if (request.tokenIds.slice(Math.max(0, length - end.length)).join() !== end.join()) return null;
    const { sequence } = sample;
    if (sequence.tokenIds.length + tokens.length > contextLength) return null;
    const at = first.start - end.length;
    return { sequence: withTokens(sequence, at, tokens), at, count: tokens.length };
  };
}

function isGiven(
  segment: { readonly kind: string; readonly role?: SegmentRole },
  role: SegmentRole,
): boolean {
  return segment.kind === "given" && segment.role === role;
}

function sharedStart(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((id, i) => id !== b[i]);
  return differs < 0 ? a.length : differs;
}

/** The sequence with tokens at an index, which nothing restricts. */
function withTokens(
  { tokenIds, temperatures, keptTokenIds }: TrainSequence,
  at: number,
  tokens: readonly number[],
): TrainSequence {
  const inserted = <T>(row: readonly T[], value: (token: number) => T): T[] => [
    ...row.slice(0, at),
    ...tokens.map(value),
    ...row.slice(at),
  ];
  return {
    tokenIds: inserted(tokenIds, (token) => token),
    ...(temperatures === undefined
      ? {}
      : {
          temperatures:
            typeof temperatures === "number" ? temperatures : inserted(temperatures, () => 1),
        }),
    ...(keptTokenIds === undefined ? {} : { keptTokenIds: inserted(keptTokenIds, () => null) }),
  };
}

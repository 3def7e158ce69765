/**
 * Rows of text for TRL and ADP. A trainer must make the recorded tokens of them: rows whose text cannot give the tokens
 * are left out, or have the tokens beside the text.
 */
import {
  type Difference,
  isRefusal,
  type RecordedPath,
  type Refusal,
  toAdpTrajectory,
  toTrlPreferenceRows,
  toTrlSftRow,
  toTrlTokenRow,
  toTrlUnpairedRow,
} from "@waggle/exchange";
import type { ChatFormat } from "@waggle/text";
import type { ExportOptions } from "./export-options.ts";
import { type Reasons, reasonsText } from "./reasons.ts";
import { groupsOf } from "./record-groups.ts";

/** How the rows of a text format give the recorded tokens. */
export type TextRows = {
  /** Rows that the model's own template renders to the recorded tokens. */
  readonly asRecorded: number;
  /** Rows in the text of the tokens with a template that keeps it, by what the model's template does. */
  readonly verbatim: Reasons;
  /** `adp`: rows with the tokens beside the text, by reason. */
  readonly withTokens: Reasons;
  /** Rows that were left out because no text gives their tokens, by reason. */
  readonly leftOut: Reasons;
};

type Leave = (reason: string, count?: number) => void;
type Written = { readonly row: object; readonly differs: Difference | null };
type Found = Written | Refusal;

/** The rows of a format; records that give none are counted with `leave`. */
export function textRows(
  read: readonly RecordedPath[],
  format: ChatFormat,
  options: ExportOptions,
  leave: Leave,
): { readonly rows: readonly unknown[]; readonly text: TextRows | null } {
  if (options.format === "trl-sft" && options.asTokens) {
    return { rows: wanted(read, options, leave).map((one) => toTrlTokenRow(one)), text: null };
  }
  const found = foundRows(read, format, options, leave);
  const written = found.filter((one): one is Written => !isRefusal(one));
  const differing = count(written.flatMap(({ differs }) => differs ?? []));
  const isAdp = options.format === "adp";
  return {
    rows: written.map(({ row }) => row),
    text: {
      asRecorded: written.filter(({ differs }) => differs === null).length,
      verbatim: isAdp ? {} : differing,
      withTokens: isAdp ? differing : {},
      leftOut: count(found.filter(isRefusal).map(({ refused }) => refused)),
    },
  };
}

function foundRows(
  read: readonly RecordedPath[],
  format: ChatFormat,
  options: ExportOptions,
  leave: Leave,
): Found[] {
  switch (options.format) {
    case "adp":
      return read.flatMap((one) => {
        const { conversation } = one;
        if (conversation !== null) return toAdpTrajectory({ ...one, conversation }, format);
        leave("prompt-unreadable");
        return [];
      });
    case "trl-kto":
      return read.flatMap((one) => {
        const row = toTrlUnpairedRow(one, format, options);
        if (row === null) leave("no-label");
        return row ?? [];
      });
    case "trl-dpo": {
      const groups = groupsOf(read, ({ record }) => record);
      const rows = groups.flatMap((group) => toTrlPreferenceRows(group, format, options));
      if (read.length > 2 * rows.length) leave("no-pair", read.length - 2 * rows.length);
      return rows;
    }
    case "atif":
    case "prime-rl":
    case "trl-sft":
    case "verl":
    case "waggle":
      return wanted(read, options, leave).map((one) => toTrlSftRow(one, format));
  }
}

/** Records to imitate. */
function wanted(
  read: readonly RecordedPath[],
  { includesFailures }: ExportOptions,
  leave: Leave,
): RecordedPath[] {
  return read.filter(({ label }) => {
    const isWanted = includesFailures || label === true;
    if (!isWanted) leave("not-successful");
    return isWanted;
  });
}

function count(reasons: readonly string[]): Reasons {
  const groups = Map.groupBy(reasons, (reason) => reason);
  return Object.fromEntries([...groups].map(([reason, all]) => [reason, all.length]));
}

/** What the command says about the rows' tokens. */
export function textRowsSummary(text: TextRows | null, isForTokens: boolean): string {
  if (text === null) return "";
  const { asRecorded, verbatim, withTokens, leftOut } = text;
  const advice = isForTokens ? "; --tokens exports them as tokens" : "";
  const missing = reasonsText("left out, because no text gives their tokens", leftOut);
  return [
    `; the model's template gives the recorded tokens of ${asRecorded}`,
    reasonsText("with the text of all tokens and a template that keeps it", verbatim),
    reasonsText("with tokens beside the text", withTokens),
    missing === "" ? "" : missing + advice,
  ].join("");
}

export function* jsonLines(rows: readonly unknown[]): Iterable<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/**
 * Converts recorded trajectories to the files of one format. Excluded records are counted by
 * reason: no consent to train, or not any more, no reward where one is needed, no text form.
 */
import {
  encodePrimeRlSamples,
  encodeVerlParquet,
  isRefusal,
  promptMessages,
  type RecordedPath,
  readPath,
  readPrompt,
  readTrajectory,
  type TextReader,
  toAtifTrajectory,
  toTokenRows,
} from "@waggle/exchange";
import {
  CONSENT_DAYS,
  isConsentCurrent,
  type TrajectoryDetail,
  WaggleError,
} from "@waggle/protocol";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { groupAdvantages } from "../update/group-advantages.ts";
import { learnableTrajectory } from "../check/learnable-group.ts";
import type { OutputFile } from "../files/output.ts";
import type { ExportFormat, ExportOptions } from "./export-options.ts";
import type { Reasons } from "./reasons.ts";
import { groupsOf } from "./record-groups.ts";
import { jsonLines, type TextRows, textRows } from "./text-rows.ts";

/** The files of an export and its counts. */
export type Exported = {
  readonly files: readonly OutputFile[];
  readonly rows: number;
  /** Excluded records by reason. */
  readonly leftOut: Reasons;
  /** Sampled tokens that were removed from the mask. */
  readonly restrictedTokens: number;
  /** For text formats: how the rows give the recorded tokens. */
  readonly text: TextRows | null;
};

/** The files of all records together. */
export async function exportRecords(
  records: readonly TrajectoryDetail[],
  reader: TextReader,
  options: ExportOptions,
): Promise<Exported> {
  const leftOut: { [reason: string]: number } = {};
  const leave = (reason: string, count = 1): void => {
    leftOut[reason] = (leftOut[reason] ?? 0) + count;
  };
  const usable = records.filter((record) => {
    const reason = reasonAgainst(record, options.format);
    if (reason !== null) leave(reason);
    return reason === null;
  });
  const done = (
    files: readonly OutputFile[],
    rows: number,
    more: Partial<Pick<Exported, "restrictedTokens" | "text">> = {},
  ): Exported => ({
    files,
    rows,
    leftOut,
    restrictedTokens: 0,
    text: null,
    ...more,
  });

  if (options.format === "waggle") {
    return done([{ name: null, content: jsonLines(usable.map(withoutVisitor)) }], usable.length);
  }
  if (options.format === "verl" || options.format === "prime-rl") {
    return done(...(await tokenFile(usable, reader, options, leave)));
  }
  if (options.format === "atif") {
    const files: OutputFile[] = [];
    for (const record of usable) {
      const read = await readTrajectory(record, reader);
      if (isRefusal(read)) {
        leave(read.refused);
        continue;
      }
      const document = JSON.stringify(toAtifTrajectory(read, reader.format), null, 1);
      files.push({ name: `${record.trajectory.id}.json`, content: [`${document}\n`] });
    }
    return done(files, files.length);
  }
  const read: RecordedPath[] = [];
  for (const record of usable) {
    const one = await readPath(record, reader);
    if (isRefusal(one)) leave(one.refused);
    else read.push(one);
  }
  const { rows, text } = textRows(read, reader.format, options, leave);
  return done([{ name: null, content: jsonLines(rows) }], rows.length, { text });
}

function reasonAgainst(
  { row, trajectory: { consent }, receipt, ...record }: TrajectoryDetail,
  format: ExportFormat,
): string | null {
  if (!consent.scopes.includes("train")) return "no-consent-to-train";
  // An edge of the previous release does not say that a newer consent allows less.
  const { consentDays = CONSENT_DAYS, consentEnded = null } = record;
  if (consentEnded !== null) return consentEnded;
  // No trainer has checked it, also if the visitor has agreed again since.
  if (row.reason === "consent-withdrawn" || row.reason === "consent-expired") return row.reason;
  if (receipt != null && receipt.withdrawnAt !== null) return "consent-withdrawn";
  if (!isConsentCurrent(consent, consentDays, Date.now())) return "consent-expired";
  if (row.status !== "learned" && row.status !== "skipped") return row.status;
  const needsReward = ["verl", "prime-rl", "trl-dpo"].includes(format);
  return needsReward && row.reward === null ? "no-reward" : null;
}

/** Pseudonyms are not exported: "forget me" cannot reach an exported file. */
function withoutVisitor(record: TrajectoryDetail): TrajectoryDetail {
  const visitorId = "00000000-0000-0000-0000-000000000000";
  const { row, receipt: stored } = record;
  return {
    ...record,
    row: { ...row, visitorId },
    ...(stored != null && { receipt: { ...stored, receipt: { ...stored.receipt, visitorId } } }),
  };
}

async function tokenFile(
  records: readonly TrajectoryDetail[],
  reader: TextReader,
  { format, recipe, keepsRestricted }: ExportOptions,
  leave: (reason: string) => void,
): Promise<[OutputFile[], number, { restrictedTokens: number }]> {
  const advantages = await advantagesOf(records, recipe);
  const rows = [];
  for (const record of records) {
    const advantage = advantages.get(record) ?? null;
    if (format === "prime-rl" && advantage === null) {
      leave("group-of-one");
      continue;
    }
    const own = toTokenRows(record, { keepsRestricted });
    if (own.length === 0) {
      leave("nothing-sampled");
      continue;
    }
    const read = format === "verl" ? await readPrompt(record.trajectory, reader) : null;
    const prompt = read === null || isRefusal(read) ? [] : promptMessages(read);
    rows.push(...own.map((row) => ({ row, prompt, advantage })));
  }
  const content =
    format === "verl"
      ? encodeVerlParquet(rows)
      : encodePrimeRlSamples(
          rows.map(({ row, advantage }) => ({ row, advantage: advantage ?? Number.NaN })),
        );
  const restrictedTokens = rows.reduce((sum, { row }) => sum + row.restrictedTokens, 0);
  return [[{ name: null, content }], rows.length, { restrictedTokens }];
}

/**
 * Computed within the exported groups; none for a group of one.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if the recipe has no advantages.
 */
async function advantagesOf(
  records: readonly TrajectoryDetail[],
  recipe: EdgeRecipe,
): Promise<Map<TrajectoryDetail, number>> {
  if (recipe.stage.learns !== "rewards") {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the recipe ${recipe.name} has no advantages to export; choose another recipe, such as grpo`,
    );
  }
  const advantages = new Map<TrajectoryDetail, number>();
  for (const group of groupsOf(records, (record) => record)) {
    if (group.length < 2) continue;
    const values = await groupAdvantages(recipe, {
      task: group[0]?.row.groupId ?? "",
      trajectories: group.map(({ row, trajectory }) =>
        learnableTrajectory(row.digest, trajectory, {
          reward: row.reward ?? 0,
          success: row.success ?? false,
          parts: {},
        }),
      ),
    });
    for (const [i, record] of group.entries()) advantages.set(record, values[i] as number);
  }
  return advantages;
}

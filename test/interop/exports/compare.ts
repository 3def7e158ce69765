/**
 * Compares exported rows with the recorded tokens. Python's Jinja2 rendered the rows as TRL does, and the hashes of its
 * texts are in reference.json.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isRefusal, type RecordedPath } from "@waggle/exchange";
import type { ChatFormat } from "@waggle/text";
import type { Deviation, Outcome } from "../counterpart.ts";
import { MARKED_NANO, sampleRows } from "./sample.ts";

const { hashes, jinja2 } = JSON.parse(
  readFileSync(new URL("reference.json", import.meta.url), "utf8"),
) as {
  jinja2: string;
  /** Per model and row: of the text of each conversation, and of its `{% generation %}`. */
  hashes: { [model: string]: { [name: string]: readonly (readonly [string, string])[] } };
};

export const REFERENCE_VERSION: string = `Jinja2 ${jinja2}`;

/** How many rows the model's own template gives, and how many are verbatim. */
export type RowCounts = { readonly own: number; readonly verbatim: number };

/** Compares all rows of a model. Rows that were left out are deviations. */
export async function compareRows(model: string, format: ChatFormat): Promise<Outcome & RowCounts> {
  let [own, verbatim] = [0, 0];
  const failed: string[] = [];
  const deviations: Deviation[] = [];
  for (const { name, found, recorded } of await sampleRows(format)) {
    if (isRefusal(found)) {
      deviations.push({ case: `${model}: ${name}`, reason: `left out: ${found.refused}` });
      continue;
    }
    const reference = hashes[model]?.[name] ?? [];
    const isVerbatim = found.differs !== null;
    const isMarked = isVerbatim || model === MARKED_NANO;
    const isSame = recorded.every((one, i) => {
      const [text, generated] = reference[i] ?? [];
      const marks = hashOf(isMarked ? textOf(one, format, "sampled") : "");
      return text === hashOf(textOf(one, format)) && generated === marks;
    });
    if (!isSame) failed.push(`${model}: ${name}: Jinja2 renders other text than was recorded`);
    else if (isVerbatim) verbatim += 1;
    else own += 1;
  }
  return { passed: own + verbatim, own, verbatim, failed, deviations };
}

function textOf({ path }: RecordedPath, { own }: ChatFormat, kind?: "sampled"): string {
  const segments = path.filter((segment) => kind === undefined || segment.kind === kind);
  return own.tokenizer.decode(segments.flatMap(({ tokenIds }) => [...tokenIds]));
}

/** As in reference.py. */
function hashOf(text: string): string {
  const normal = text.trimEnd().normalize("NFC");
  return createHash("sha256").update(normal).digest("hex").slice(0, 16);
}

/** Generates arguments for the BFCL tools with both compilers and checks that they are valid and agree. */
import { benchRow } from "../../runtime/bench/row.ts";
import type { BenchRow } from "../../runtime/bench/row.ts";
import type { Masker } from "./masker.ts";
import { accepts, draw, DRAW_BUDGET } from "./sampling.ts";
import type { BenchVocabulary } from "./vocabularies.ts";
import { type JsonSchema, seededRandom } from "@waggle/protocol";

/** What to compare, on which tools, and how often to draw. */
export type ToolsOptions = {
  readonly ours: Masker;
  readonly peer: Masker;
  readonly vocabulary: BenchVocabulary;
  readonly schemas: readonly JsonSchema[];
  /** Draws per tool. */
  readonly draws: number;
  readonly report: (line: string) => void;
};

type Count = { valid: number; invalid: number; inOther: number };

/** @returns result rows, and a valid text for each schema that both compilers accept. */
export async function measureTools(
  options: ToolsOptions,
): Promise<{ rows: BenchRow[]; texts: ReadonlyMap<JsonSchema, string> }> {
  const { ours, peer, vocabulary, schemas, draws, report } = options;
  const counts = new Map([ours, peer].map((masker) => [masker, emptyCount()]));
  const texts = new Map<JsonSchema, string>();
  for (const [index, schema] of schemas.entries()) {
    if (index % 50 === 0) report(`   tool ${index} of ${schemas.length}`);
    for (const [masker, other] of [
      [ours, peer],
      [peer, ours],
    ] as const) {
      const count = counts.get(masker) as Count;
      const compiled = await masker.compile(schema);
      // Calls that do not fit the budget get a larger one.
      const random = seededRandom(index);
      const drawn = await draw(compiled, vocabulary, { count: draws, schema, random }).catch(() =>
        draw(compiled, vocabulary, { count: draws, schema, random, budget: 4 * DRAW_BUDGET }),
      );
      count.valid += drawn.valid.length;
      count.invalid += drawn.invalid.length;
      if (drawn.invalid[0] !== undefined) report(`   ${masker.name}: ${drawn.invalid[0]}`);
      const otherCompiled = await other.compile(schema);
      for (const text of drawn.valid) {
        const written = JSON.stringify(JSON.parse(text));
        const isShared = await accepts(otherCompiled, vocabulary, written);
        if (isShared) count.inOther++;
        if (isShared && masker === ours && (await accepts(compiled, vocabulary, written))) {
          texts.set(schema, written);
        }
        if (!isShared) report(`   of ${masker.name}, not of ${other.name}: ${written}`);
      }
      compiled.dispose();
      otherCompiled.dispose();
    }
  }
  const [mine, theirs] = [counts.get(ours) as Count, counts.get(peer) as Count];
  const all = schemas.length * draws;
  const row = (name: string, a: number, b: number, peerName: string, agree = true) =>
    benchRow({ name, ours: a, peer: b, peerName, unit: "calls", agree });
  return {
    rows: [
      row(`BFCL calls closed in time and valid, of ${all}`, mine.valid, theirs.valid, peer.name),
      row(
        "BFCL calls closed and valid, of those closed",
        mine.valid,
        closed(mine),
        "all",
        mine.invalid === 0,
      ),
      row("the same of the peer", theirs.valid, closed(theirs), "all", theirs.invalid === 0),
      row(
        "BFCL calls of ours that the peer takes",
        mine.inOther,
        mine.valid,
        "all",
        mine.inOther === mine.valid,
      ),
      row(
        "BFCL calls of the peer that ours takes",
        theirs.inOther,
        theirs.valid,
        "all",
        theirs.inOther === theirs.valid,
      ),
    ],
    texts,
  };
}

const closed = ({ valid, invalid }: Count): number => valid + invalid;
const emptyCount = (): Count => ({ valid: 0, invalid: 0, inOther: 0 });

/** Measures which keywords of JSON Schema each compiler supports, and whether their values agree. */
import { type JsonSchema, seededRandom } from "@waggle/protocol";
import { benchRow } from "../../runtime/bench/row.ts";
import type { BenchRow } from "../../runtime/bench/row.ts";
import { KEYWORD_SCHEMAS } from "./keyword-schemas.ts";
import type { Masker } from "./masker.ts";
import { accepts, draw } from "./sampling.ts";
import type { Draws } from "./sampling.ts";
import type { BenchVocabulary } from "./vocabularies.ts";

/** `held`: all drawn values are valid. `wrong`: it accepts the schema but allows invalid values. */
type Verdict = "held" | "refused" | "wrong";

/** What to compare, and how often to draw. */
export type KeywordsOptions = {
  readonly ours: Masker;
  readonly peer: Masker;
  readonly vocabulary: BenchVocabulary;
  readonly draws: number;
  readonly report: (line: string) => void;
};

/** Draws values for every keyword schema from both compilers. */
export async function measureKeywords(options: KeywordsOptions): Promise<BenchRow[]> {
  const { ours, peer, vocabulary, draws: count, report } = options;
  const verdicts: { ours: Verdict; peer: Verdict }[] = [];
  const crossed = { ours: 0, ofOurs: 0, peer: 0, ofPeer: 0 };
  report(
    "| keyword | ours | invalid | peer | invalid | unfinished | ours in peer | peer in ours |",
  );
  report("|---|---|---|---|---|---|---|---|");
  for (const [keyword, schema] of KEYWORD_SCHEMAS) {
    const [mine, theirs] = [
      await examine(ours, schema, vocabulary, count),
      await examine(peer, schema, vocabulary, count),
    ];
    verdicts.push({ ours: mine.verdict, peer: theirs.verdict });
    let cells = "– | –";
    if (mine.verdict === "held" && theirs.verdict === "held") {
      const inPeer = await acceptedBy(peer, schema, vocabulary, mine.draws.valid);
      const inOurs = await acceptedBy(ours, schema, vocabulary, theirs.draws.valid);
      crossed.ours += inPeer;
      crossed.ofOurs += mine.draws.valid.length;
      crossed.peer += inOurs;
      crossed.ofPeer += theirs.draws.valid.length;
      cells = `${inPeer}/${mine.draws.valid.length} | ${inOurs}/${theirs.draws.valid.length}`;
    }
    const example = theirs.draws.invalid[0] ?? mine.draws.invalid[0];
    report(
      `| ${keyword} | ${mine.verdict} | ${mine.draws.invalid.length} | ${theirs.verdict} | ${theirs.draws.invalid.length} | ${theirs.draws.unfinished} | ${cells} |` +
        (example === undefined ? "" : ` e.g. ${JSON.stringify(example).slice(0, 60)}`),
    );
  }
  const number = (whose: "ours" | "peer", verdict: Verdict) =>
    verdicts.filter((found) => found[whose] === verdict).length;
  const row = (name: string, verdict: Verdict) =>
    benchRow({
      name: `${name}, of ${verdicts.length}`,
      ours: number("ours", verdict),
      peer: number("peer", verdict),
      peerName: peer.name,
      unit: "schemas",
      agree: true,
    });
  return [
    row("keyword schemas held, every finished draw valid", "held"),
    row("keyword schemas refused", "refused"),
    row("keyword schemas taken, but with invalid draws", "wrong"),
    benchRow({
      name: "values drawn from ours that the peer can draw too, schemas both hold",
      ours: crossed.ours,
      peer: crossed.ofOurs,
      peerName: "all",
      unit: "values",
      agree: crossed.ours === crossed.ofOurs,
    }),
    benchRow({
      name: "values drawn from the peer that ours can draw too, schemas both hold",
      ours: crossed.peer,
      peer: crossed.ofPeer,
      peerName: "all",
      unit: "values",
      agree: crossed.peer === crossed.ofPeer,
    }),
  ];
}

async function examine(
  masker: Masker,
  schema: JsonSchema,
  vocabulary: BenchVocabulary,
  count: number,
): Promise<{ verdict: Verdict; draws: Draws }> {
  try {
    const compiled = await masker.compile(schema);
    const draws = await draw(compiled, vocabulary, { count, schema, random: seededRandom(1) });
    compiled.dispose();
    return { verdict: draws.invalid.length > 0 ? "wrong" : "held", draws };
  } catch {
    return { verdict: "refused", draws: { valid: [], invalid: [], unfinished: 0 } };
  }
}

/** How many of these values can be generated, written without whitespace. */
async function acceptedBy(
  masker: Masker,
  schema: JsonSchema,
  vocabulary: BenchVocabulary,
  texts: readonly string[],
): Promise<number> {
  const compiled = await masker.compile(schema);
  let accepted = 0;
  for (const text of texts) {
    const written = JSON.stringify(JSON.parse(text));
    if (await accepts(compiled, vocabulary, written)) accepted++;
  }
  compiled.dispose();
  return accepted;
}

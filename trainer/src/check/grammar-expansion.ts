/**
 * What a grammar allowed, as explicit kept sets: the trainer replays each grammar over the tokens it
 * masked, so that the distribution that is learned from is the one that was sampled.
 */
import {
  type GrammarCompiler,
  type GrammarSpec,
  replayGrammar,
  type SampledSegment,
  type Trajectory,
} from "@waggle/protocol";
import { grammarId } from "@waggle/text/grammar";

/**
 * The trajectory with a kept set at every token that a grammar masked.
 *
 * @param grammars - of the model's tokenizer; `null` where there is none.
 * @returns `null` where a grammar is missing or not the one it claims to be, forbids a token, or does
 *   not hold what is claimed to be kept.
 */
export async function expandGrammars(
  trajectory: Trajectory,
  grammars: GrammarCompiler | null,
  vocabularySize: number,
): Promise<Trajectory | null> {
  const segments = [...trajectory.segments];
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === "given" || segment.grammar === null) continue;
    const spec = trajectory.grammars?.[segment.grammar];
    if (spec === undefined || grammars === null) return null;
    const keptTokenIds = await keptSetsOf(segment, spec, grammars, vocabularySize);
    if (keptTokenIds === null) return null;
    segments[index] = { ...segment, keptTokenIds };
  }
  return { ...trajectory, segments };
}

async function keptSetsOf(
  { tokenIds, tokenBudget = 0, keptTokenIds, grammar: id }: SampledSegment,
  spec: GrammarSpec,
  grammars: GrammarCompiler,
  vocabularySize: number,
): Promise<SampledSegment["keptTokenIds"] | null> {
  let allowed: readonly (readonly number[] | null)[];
  try {
    // Before compiling: another grammar than the replayed one may be made to exhaust the compiler.
    if ((await grammarId(spec)) !== id || tokenIds.length > tokenBudget) return null;
    const grammar = await grammars.compile(spec);
    allowed = replayGrammar(grammar, tokenIds, { tokenBudget, vocabularySize });
  } catch {
    return null; // a visitor's grammar that cannot be compiled, or not have been sampled under
  }
  const sets = allowed.map((ids, t) => keptTokenIds?.[t] ?? ids);
  const isWithin = sets.every((ids, t) => isSubset(ids, allowed[t] ?? null));
  return isWithin ? sets : null;
}

/** @param of - `null` for all ids. */
function isSubset(ids: readonly number[] | null, of: readonly number[] | null): boolean {
  if (of === null || ids === of) return true;
  const allowed = new Set(of);
  return ids !== null && ids.every((id) => allowed.has(id));
}

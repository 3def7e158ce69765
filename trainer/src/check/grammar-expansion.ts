/**
 * Expands grammars into explicit kept sets. The trainer replays each grammar over the tokens it masked,
 * so that training uses the distribution that was sampled from.
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
 * @param grammars - of the model's tokenizer; `null` without one.
 * @returns `null` if a grammar is missing or does not match its id, if it forbids a sampled token, or
 *   if a claimed kept set is not a subset of what it allows.
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
    // Checked before compiling: a grammar other than the replayed one could be crafted to exhaust the
    // compiler.
    if ((await grammarId(spec)) !== id || tokenIds.length > tokenBudget) return null;
    const grammar = await grammars.compile(spec);
    allowed = replayGrammar(grammar, tokenIds, { tokenBudget, vocabularySize });
  } catch {
    return null; // the visitor's grammar does not compile, or could not have been sampled under
  }
  const sets = allowed.map((ids, t) => keptTokenIds?.[t] ?? ids);
  const isWithin = sets.every((ids, t) => isSubset(ids, allowed[t] ?? null));
  return isWithin ? sets : null;
}

/** True if `ids` is a subset of `of`; `null` is the set of all ids. */
function isSubset(ids: readonly number[] | null, of: readonly number[] | null): boolean {
  if (of === null || ids === of) return true;
  const allowed = new Set(of);
  return ids !== null && ids.every((id) => allowed.has(id));
}

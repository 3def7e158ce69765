/**
 * Log-probs of a step's tokens under the policy that has read its visitors' corrections. The teacher has the parameters of
 * the start of the step, so nothing else is loaded.
 */
import type { AdvantageRows, PartPorts, Row, Stage } from "@waggle/learning";
import type { TrainEngine } from "@waggle/protocol";

/**
 * `[samples][T]` by trajectory id. Trajectories without a correction, or whose prompt cannot take one, are left out.
 *
 * @returns `undefined` if the stage does not read it or no prompt can be rendered here.
 */
export async function hindsightLogProbs(
  engine: Pick<TrainEngine, "forward">,
  { advantage }: Pick<Stage, "advantage">,
  rows: readonly Row[],
  { hinted }: Pick<PartPorts, "hinted">,
): Promise<AdvantageRows | undefined> {
  if (advantage?.readsHindsight !== true || hinted === undefined) return undefined;
  const found = rows.flatMap(({ rewarded: { trajectory }, index, sample }) => {
    const text = trajectory.verification.parts["correction"];
    if (typeof text !== "string") return [];
    return [{ id: trajectory.id, index, sample, hint: hinted(trajectory, index, text) }];
  });
  const refused = new Set(found.flatMap(({ id, hint }) => (hint === null ? [id] : [])));
  const asked = found.flatMap(({ hint, ...row }) =>
    hint === null || refused.has(row.id) ? [] : [{ ...row, hint }],
  );
  const all = new Map<string, ArrayLike<number>[]>();
  if (asked.length === 0) return all;
  const { logProb } = await engine.forward({ sequences: asked.map(({ hint }) => hint.sequence) });
  for (const [b, { id, index, sample, hint }] of asked.entries()) {
    const samples = all.get(id) ?? [];
    samples[index] = sample.lossMask.map(
      (_, t) => logProb[b]?.[t < hint.at ? t : t + hint.count] ?? Number.NaN,
    );
    all.set(id, samples);
  }
  return all;
}

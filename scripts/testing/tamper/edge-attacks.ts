/** All attacks over HTTP. */
import type { AttackedEdge } from "../edge/attacked-edge.ts";
import type { AttackResult } from "./attack.ts";
import { type EdgeAttack, runEdgeAttack } from "./edge-attack.ts";
import { BODY_ATTACKS } from "./body-attacks.ts";
import { PATH_ATTACKS } from "./path-attacks.ts";
import { REPLAY_ATTACKS } from "./replay-attacks.ts";
import { TOKEN_ATTACKS } from "./token-attacks.ts";
import { UPLOAD_ATTACKS } from "./upload-attacks.ts";
import { VERSION_ATTACKS } from "./version-attacks.ts";

/** The attacks. */
export const EDGE_ATTACKS: readonly EdgeAttack[] = [
  ...UPLOAD_ATTACKS,
  ...REPLAY_ATTACKS,
  ...BODY_ATTACKS,
  ...PATH_ATTACKS,
  ...TOKEN_ATTACKS,
  ...VERSION_ATTACKS,
];

/** Runs them one after another. @param say - receives each result */
export async function runEdgeAttacks(
  edge: AttackedEdge,
  say: (result: AttackResult) => void,
): Promise<AttackResult[]> {
  const results: AttackResult[] = [];
  for (const attack of EDGE_ATTACKS) {
    const result = await runEdgeAttack(edge, attack);
    say(result);
    results.push(result);
  }
  return results;
}

/** More recipes of the policy-gradient table: changed environments, simulated tools, credit for single turns. */
import type { CreateRecipe } from "../composition/definition.ts";
import { cm2 } from "./cm2.ts";
import { autoCoa } from "./auto-coa.ts";
import { simia } from "./simia.ts";
import { ssrl } from "./ssrl.ts";
import { vlaRft } from "./vla-rft.ts";
import { ada } from "./ada.ts";
import { akbe } from "./akbe.ts";
import { deepEyesV2 } from "./deep-eyes-v2.ts";
import { paraGrpo } from "./para-grpo.ts";
import { spaRl } from "./spa-rl.ts";
import { polychromic } from "./polychromic.ts";
import { drVenus } from "./dr-venus.ts";
import { aceReason } from "./ace-reason.ts";
import { pilotRl } from "./pilot-rl.ts";
import { visualArft } from "./visual-arft.ts";
import { reWatchR1 } from "./re-watch-r1.ts";
import { rlfh } from "./rlfh.ts";
import { slideRl } from "./slide-rl.ts";
import { riseRationale } from "./rise-rationale.ts";
import { agenticQwen } from "./agentic-qwen.ts";
import { agentMath } from "./agent-math.ts";
import { aegisIdentifier } from "./aegis-identifier.ts";
import { severa } from "./severa.ts";
import { interactRag } from "./interact-rag.ts";
import { maragR1 } from "./marag-r1.ts";
import { maskSearch } from "./mask-search.ts";
import { sciResearcher } from "./sci-researcher.ts";
import { deepDxSearch } from "./deep-dx-search.ts";
import { flowGrpo } from "./flow-grpo.ts";
import { personaMemV2 } from "./persona-mem-v2.ts";
import { gameCoder } from "./game-coder.ts";

export const CHANGED_WORLD_RECIPES: readonly CreateRecipe[] = [
  cm2,
  autoCoa,
  simia,
  ssrl,
  vlaRft,
  ada,
  akbe,
  deepEyesV2,
  paraGrpo,
  spaRl,
  polychromic,
  drVenus,
  aceReason,
  pilotRl,
  visualArft,
  reWatchR1,
  rlfh,
  slideRl,
  riseRationale,
  agenticQwen,
  agentMath,
  aegisIdentifier,
  severa,
  interactRag,
  maragR1,
  maskSearch,
  sciResearcher,
  deepDxSearch,
  flowGrpo,
  personaMemV2,
  gameCoder,
];

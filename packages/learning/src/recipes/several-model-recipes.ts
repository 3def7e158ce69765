/** Recipes that train more than a policy: reward models beside it, or several roles. */
import type { CreateRecipe } from "../composition/definition.ts";
import { adapterTuning } from "./adapter-tuning.ts";
import { agentRlvr } from "./agent-rlvr.ts";
import { apexSearcher } from "./apex-searcher.ts";
import { astraFlow } from "./astra-flow.ts";
import { atomSearcher } from "./atom-searcher.ts";
import { autoAct } from "./auto-act.ts";
import { autocurricula } from "./autocurricula.ts";
import { coMas } from "./co-mas.ts";
import { controllableIdeation } from "./controllable-ideation.ts";
import { cory } from "./cory.ts";
import { genAgent } from "./gen-agent.ts";
import { genSearcher } from "./gen-searcher.ts";
import { hierSearch } from "./hier-search.ts";
import { l2m } from "./l2m.ts";
import { longCat } from "./long-cat.ts";
import { multiAgentEvolve } from "./multi-agent-evolve.ts";
import { magrpo } from "./magrpo.ts";
import { marft } from "./marft.ts";
import { mars } from "./mars.ts";
import { memoryR1 } from "./memory-r1.ts";
import { midiTuning } from "./midi-tuning.ts";
import { momentumInterpolation } from "./momentum-interpolation.ts";
import { msrl } from "./msrl.ts";
import { multiagentFineTuning } from "./multiagent-fine-tuning.ts";
import { openEndedLearning } from "./open-ended-learning.ts";
import { oprl } from "./oprl.ts";
import { prereqTune } from "./prereq-tune.ts";
import { prft } from "./prft.ts";
import { searchSelfPlay } from "./search-self-play.ts";
import { sil } from "./sil.ts";
import { spice } from "./spice.ts";
import { spin } from "./spin.ts";
import { tail } from "./tail.ts";

export const SEVERAL_MODEL_RECIPES: readonly CreateRecipe[] = [
  adapterTuning,
  agentRlvr,
  apexSearcher,
  astraFlow,
  atomSearcher,
  autoAct,
  autocurricula,
  coMas,
  controllableIdeation,
  cory,
  genAgent,
  genSearcher,
  hierSearch,
  l2m,
  longCat,
  multiAgentEvolve,
  magrpo,
  marft,
  mars,
  memoryR1,
  midiTuning,
  momentumInterpolation,
  msrl,
  multiagentFineTuning,
  openEndedLearning,
  oprl,
  prereqTune,
  prft,
  searchSelfPlay,
  sil,
  spice,
  spin,
  tail,
];

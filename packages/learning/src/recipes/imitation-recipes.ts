/** Recipes of the imitation table. */
import type { CreateRecipe } from "../composition/definition.ts";
import { optSft } from "./opt-sft.ts";
import { agentBank } from "./agent-bank.ts";
import { adpMixture } from "./adp-mixture.ts";
import { agentTuning } from "./agent-tuning.ts";
import { agentRefine } from "./agent-refine.ts";
import { atlas } from "./atlas.ts";
import { benignRealignment } from "./benign-realignment.ts";
import { limi } from "./limi.ts";
import { agenticCpt } from "./agentic-cpt.ts";
import { capCpt } from "./cap-cpt.ts";
import { youtuLlm } from "./youtu-llm.ts";
import { contextualFineTuning } from "./contextual-fine-tuning.ts";
import { dft } from "./dft.ts";
import { dualDistill } from "./dual-distill.ts";
import { fireAct } from "./fire-act.ts";
import { metaAgentTuning } from "./meta-agent-tuning.ts";
import { earlyExperience } from "./early-experience.ts";
import { moRepair } from "./mo-repair.ts";
import { transferTransfo } from "./transfer-transfo.ts";
import { eef } from "./eef.ts";
import { selfImprovingWeb } from "./self-improving-web.ts";
import { castFlow } from "./cast-flow.ts";
import { meissa } from "./meissa.ts";
import { searchAlign } from "./search-align.ts";
import { t3Agent } from "./t3-agent.ts";
import { searchSwarm } from "./search-swarm.ts";
import { tura } from "./tura.ts";
import { alama } from "./alama.ts";
import { hft } from "./hft.ts";
import { locFt } from "./loc-ft.ts";
import { inputSpace } from "./input-space.ts";
import { agentFlan } from "./agent-flan.ts";
import { agentAlign } from "./agent-align.ts";
import { agentPs } from "./agent-ps.ts";
import { agentScaler } from "./agent-scaler.ts";
import { diaForge } from "./dia-forge.ts";
import { synatra } from "./synatra.ts";
import { starAgents } from "./star-agents.ts";
import { prismReranker } from "./prism-reranker.ts";
import { sap } from "./sap.ts";
import { agentFold } from "./agent-fold.ts";
import { browserAgent } from "./browser-agent.ts";
import { focuSft } from "./focu-sft.ts";
import { adaptAgent } from "./adapt-agent.ts";
import { ttSi } from "./tt-si.ts";
import { knowSelf } from "./know-self.ts";
import { mixCd } from "./mix-cd.ts";
import { riseIntrospection } from "./rise-introspection.ts";
import { katCoder } from "./kat-coder.ts";
import { webEvolver } from "./web-evolver.ts";
import { dualTune } from "./dual-tune.ts";
import { cmat } from "./cmat.ts";

export const IMITATION_RECIPES: readonly CreateRecipe[] = [
  optSft,
  agentBank,
  adpMixture,
  agentTuning,
  agentRefine,
  atlas,
  benignRealignment,
  limi,
  agenticCpt,
  capCpt,
  youtuLlm,
  contextualFineTuning,
  dft,
  dualDistill,
  fireAct,
  metaAgentTuning,
  earlyExperience,
  moRepair,
  transferTransfo,
  eef,
  selfImprovingWeb,
  castFlow,
  meissa,
  searchAlign,
  t3Agent,
  searchSwarm,
  tura,
  alama,
  hft,
  locFt,
  inputSpace,
  agentFlan,
  agentAlign,
  agentPs,
  agentScaler,
  diaForge,
  synatra,
  starAgents,
  prismReranker,
  sap,
  agentFold,
  browserAgent,
  focuSft,
  adaptAgent,
  ttSi,
  knowSelf,
  mixCd,
  riseIntrospection,
  katCoder,
  webEvolver,
  cmat,
  dualTune,
];

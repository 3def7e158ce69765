/** Recipes of the preference table. */
import type { CreateRecipe } from "../composition/definition.ts";
import { agenticTransformer } from "./agentic-transformer.ts";
import { faft } from "./faft.ts";
import { aidsafe } from "./aidsafe.ts";
import { matrix } from "./matrix.ts";
import { agentRm } from "./agent-rm.ts";
import { agentQ } from "./agent-q.ts";
import { agenticVrpo } from "./agentic-vrpo.ts";
import { arp } from "./arp.ts";
import { coRft } from "./co-rft.ts";
import { conRft } from "./con-rft.ts";
import { dtMem } from "./dt-mem.ts";
import { digiQ } from "./digi-q.ts";
import { domainAdaptation } from "./domain-adaptation.ts";
import { formalMethods } from "./formal-methods.ts";
import { ipr } from "./ipr.ts";
import { mosaic } from "./mosaic.ts";
import { moto } from "./moto.ts";
import { multiCritique } from "./multi-critique.ts";
import { oap } from "./oap.ts";
import { proactiveAgent } from "./proactive-agent.ts";
import { roboFume } from "./robo-fume.ts";
import { toa } from "./toa.ts";
import { recap } from "./recap.ts";

export const PREFERENCE_RECIPES: readonly CreateRecipe[] = [
  agenticTransformer,
  faft,
  aidsafe,
  matrix,
  agenticVrpo,
  domainAdaptation,
  formalMethods,
  mosaic,
  recap,
  coRft,
  conRft,
  digiQ,
  oap,
  agentQ,
  ipr,
  agentRm,
  arp,
  dtMem,
  moto,
  multiCritique,
  proactiveAgent,
  roboFume,
  toa,
];

/** Recipes that write texts or cases, of the gradient-free table and beside a policy gradient. */
import type { CreateRecipe } from "../composition/definition.ts";
import { adas } from "./adas.ts";
import { agentFly } from "./agent-fly.ts";
import { agentSwift } from "./agent-swift.ts";
import { agenticNeuralNetwork } from "./agentic-neural-network.ts";
import { evoKernel } from "./evo-kernel.ts";
import { evolver } from "./evolver.ts";
import { fama } from "./fama.ts";
import { goedelAgent } from "./goedel-agent.ts";
import { inspo } from "./inspo.ts";
import { ping } from "./ping.ts";
import { rewardHarness } from "./reward-harness.ts";
import { sica } from "./sica.ts";
import { sleaRl } from "./slea-rl.ts";
import { trainingFreeGrpo } from "./training-free-grpo.ts";

export const TEXT_RECIPES: readonly CreateRecipe[] = [
  adas,
  agentFly,
  agentSwift,
  agenticNeuralNetwork,
  evoKernel,
  evolver,
  fama,
  goedelAgent,
  inspo,
  ping,
  rewardHarness,
  sica,
  sleaRl,
  trainingFreeGrpo,
];

/**
 * RemoteAgent: thrift pays only where the answer is right, so that tools are called where the policy
 * cannot do without.
 *
 * Source: "RemoteAgent: Bridging Vague Human Intents and Earth Observation with RL-based Agentic
 * MLLMs" (S284).
 * Differs from it: calls stand for hand-overs to specialists.
 * Why: one process has one agent; a tool is what it can hand over to.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const remoteAgent: CreateRecipe = recipe({
  name: "remote-agent",
  literature: "RemoteAgent",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "calls stand for hand-overs to specialists",
  ],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    callCost: 0.1,
    allowance: 0.3,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, callCost, allowance }) => [
    groupReinforcement({
      groupSize,
      reward: parts.weighted([
        [parts.outcome(), { standard: 0.5 }],
        [parts.economy({ toolCall: callCost }, { kind: "gated", allowance }), { standard: 0.5 }],
      ]),
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
    }),
  ],
});

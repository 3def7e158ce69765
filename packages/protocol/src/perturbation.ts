/**
 * Rewards of perturbed policies, for sites whose pages send no trajectories. The edge gives a page a task and a perturbation.
 * The page adds the seeded noise to the policy, works on the task, and sends the reward alone.
 */
import { z } from "zod";
import { PolicyVersionId } from "./policy.ts";
import { readOnly } from "./read-only-schema.ts";

/** The noise that a page adds to one version: direction · scale · ε(seed). */
export type Perturbation = z.infer<typeof Perturbation>;
export const Perturbation = readOnly(
  z.strictObject({
    policyVersion: PolicyVersionId,
    /** Seed of the noise, an unsigned 32-bit integer. Both directions of a pair have the same one. */
    seed: z.int().min(0).max(0xffff_ffff),
    direction: z.literal([1, -1]),
    /** Standard deviation of the noise, in units of the parameters. */
    scale: z.number().positive().max(1),
  }),
);

/** Body of `POST /v1/rewards` (session). The edge knows the perturbation of its assignment. */
export type RewardRequest = z.infer<typeof RewardRequest>;
export const RewardRequest = readOnly(
  z.strictObject({ assignmentId: z.uuid(), reward: z.number().min(0).max(1) }),
);

/** A reward as a trainer reads it. */
export type PageReward = z.infer<typeof PageReward>;
const PageReward = z.object({
  assignmentId: z.uuid(),
  visitorId: z.uuid(),
  /** Keyed hash of the visitor's network, as of a trajectory. Absent if it had no address. */
  network: z.string().optional(),
  perturbation: Perturbation,
  reward: z.number().min(0).max(1),
});

/** Answer of `GET /v1/trainer/rewards` (trainer): the newest 4096 rewards of one version, oldest first. */
export type RewardsResponse = z.infer<typeof RewardsResponse>;
export const RewardsResponse = z.object({
  rewards: z.array(PageReward),
  /** How many of them were left out, because their visitors' consents have ended. Absent from an edge of the previous release. */
  withheld: z.int().min(0).optional(),
});

/**
 * Works on an assigned task with a perturbed policy, judges the result in the page, and sends the reward. The trajectory
 * ends here: no token and no text of it leaves the page.
 */
import { finalTextOf } from "@waggle/agent";
import type { EdgeSession } from "@waggle/collector";
import { WaggleError } from "@waggle/protocol";
import type { AssignmentResponse, Environment, RewardRequest } from "@waggle/protocol";
import { requireSitePolicy } from "../agent-host.ts";
import type { AgentHost } from "../agent-host.ts";
import type { JudgedEnvironment } from "../agent.ts";
import { rollOutTask } from "../task-roll-out.ts";
import type { TaskRollOut } from "../task-roll-out.ts";
import { type PerturbedAdapters, withAdapter } from "./perturbed-policy.ts";

export { PerturbedAdapters } from "./perturbed-policy.ts";

/** The status of an answer that refuses something because the consent is not proven. */
const UNPROVEN = 425;

/** The task, its environment with a verifier, and where the adapter comes from. */
export type RewardedTask = Omit<TaskRollOut, "environment" | "assignment"> & {
  readonly environment: Environment | JudgedEnvironment;
  readonly assignment: AssignmentResponse;
  readonly adapters: PerturbedAdapters;
};

/**
 * The reward of one rollout, in [0, 1]; `null` if it was aborted.
 * @throws WaggleError `CAPABILITY_MISSING` for an edge that assigns no perturbations or an environment without a verifier,
 *   `REWARD_UNAVAILABLE` if the verifier gives no number in [0, 1]
 */
export async function taskReward(host: AgentHost, task: RewardedTask): Promise<number | null> {
  const site = requireSitePolicy(host);
  const { perturbation, assignmentId } = task.assignment;
  if (perturbation === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      'this page sends rewards only, and the edge assigns tasks for trajectories; set its COLLECT to "rewards"',
    );
  }
  if (!("judge" in task.environment)) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      "this page sends rewards only, and its environment has no verifier; return { environment, judge } for each task",
    );
  }
  const { environment, judge } = task.environment;
  const adapter = await task.adapters.get(perturbation);
  const trajectory = await withAdapter(site.policy, assignmentId, adapter, (policy) =>
    rollOutTask({ ...site, policy }, { ...task, environment }),
  );
  if (trajectory.stopReason === "aborted") return null;
  const { reward } = await judge(finalTextOf(trajectory, site.chatFormat));
  if (reward >= 0 && reward <= 1) return reward;
  throw new WaggleError(
    "REWARD_UNAVAILABLE",
    `the environment's verifier gave the reward ${reward}; it must be from 0 to 1`,
  );
}

/**
 * @param prove - called before a second try, if the edge has no receipt of the visitor's consent.
 * @throws WaggleError `NETWORK` if the edge does not take it. The task is then lost.
 */
export async function sendReward(
  session: Pick<EdgeSession, "request">,
  reward: RewardRequest,
  prove: () => Promise<void>,
): Promise<void> {
  const post = (): Promise<Response> =>
    session.request("/v1/rewards", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(reward),
    });
  let response = await post();
  if (response.status === UNPROVEN) {
    await prove();
    response = await post();
  }
  if (response.ok) return;
  throw new WaggleError("NETWORK", `the edge answered HTTP ${response.status} to a reward`);
}

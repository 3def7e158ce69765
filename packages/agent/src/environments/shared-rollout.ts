/**
 * A joint rollout of several roles in one environment. Each role has its own conversation, and all are
 * judged by their joint answer. How a role acts is passed in.
 */
import { type JudgedEnvironment, SharedEnvironment } from "@waggle/environments";
import type { ChatFormat } from "@waggle/text";
import { finalTextOf } from "../final-text.ts";
import type { EnvironmentRollout } from "./environment-rollout.ts";

/**
 * Runs the roles side by side.
 *
 * @param act - one role's rollout in its view of the environment
 * @returns one rollout per role, in the order of the roles. Each has the joint judgment and the rewards of its turns
 */
export async function sharedRollout<Rollout extends EnvironmentRollout>(
  instance: JudgedEnvironment,
  roles: readonly string[],
  format: ChatFormat,
  act: (view: JudgedEnvironment, index: number) => Promise<Rollout>,
): Promise<Rollout[]> {
  const shared = new SharedEnvironment(instance, roles);
  const rollouts = await Promise.all(
    roles.map(async (role, index) => {
      try {
        return await act(shared.view(role), index);
      } finally {
        shared.leave(role);
      }
    }),
  );
  // The answers form one final answer, with each role's text in its place.
  const texts = rollouts.flatMap(({ record }) => finalTextOf(record, format) ?? []);
  const answer = texts.length === 0 ? null : texts.join(" ").trim();
  const verification = await instance.judge(answer);
  const { turnRewards } = verification;
  return rollouts.map((rollout, index) => {
    const own = turnRewards?.filter((_, i) => shared.callers[i] === roles[index]);
    const judged = own === undefined ? verification : { ...verification, turnRewards: own };
    return { ...rollout, verification: judged };
  });
}

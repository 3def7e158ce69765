/** Whether a trainer is running, from its heartbeats at the edge. */
import type { OperatorHealth } from "@waggle/protocol";
import { formatAgo } from "./format.ts";

/** Status of the newest trainer. */
export type TrainerStatus = {
  readonly isRunning: boolean;
  /** Text in the bar: `live` or `no trainer`. */
  readonly label: string;
  /** Present or last activity, with its time. */
  readonly detail: string;
};

const DOING: { readonly [activity: string]: string } = {
  starting: "starting",
  waiting: "waiting for trajectories",
  checking: "checking trajectories",
  learning: "learning",
  publishing: "evaluating and publishing",
  stopped: "stopping",
};

/** Derives the status from the edge's health data. */
export function trainerStatus({ at, trainers }: OperatorHealth): TrainerStatus {
  const newest = trainers.find(({ isRunning }) => isRunning) ?? trainers[0];
  if (newest === undefined) {
    return { isRunning: false, label: "no trainer", detail: "No trainer has ever reported." };
  }
  const doing = `${DOING[newest.activity] ?? newest.activity}, step ${newest.step}`;
  const others = trainers.filter(({ isRunning }) => isRunning).length - 1;
  if (newest.isRunning) {
    const more = others > 0 ? ` ${others} more running.` : "";
    return { isRunning: true, label: "live", detail: `Now ${doing}.${more}` };
  }
  const ago = formatAgo(newest.seenAt, Date.parse(at));
  return {
    isRunning: false,
    label: "no trainer",
    detail: `Last seen ${ago} ago, ${doing}.`,
  };
}

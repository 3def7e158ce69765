/** Options of a training session. */
import type { EnvironmentSpec } from "@waggle/environments";
import type { ToolDefinition } from "@waggle/protocol";
import type { FrozenTasks } from "../evaluation/frozen-tasks.ts";
import type { Device } from "../model/device.ts";
import type { AdapterFolder } from "../model/adapter-folder.ts";
import type { JudgeUse } from "../options/judge-options.ts";
import type { Turn } from "./fair-turns.ts";
import type { TrainingOptions } from "./training-parts.ts";
import type { Precision, RemoteServerOptions } from "@waggle/engine";
import type { ResidentFormat } from "@waggle/model";

export type TrainingSessionOptions = Omit<TrainingOptions, "band" | "pollMs"> & {
  readonly stateFolder: string;
  /** Whether TensorBoard event files are written beside metrics.jsonl; default not. */
  readonly tensorboard?: boolean | undefined;
  readonly isResuming: boolean;
  /** Wait for another trainer on the same state folder to end; default: refuse to start. */
  readonly waits?: boolean | undefined;
  readonly device: Device;
  /** Only with a URL as the device. */
  readonly server?: RemoteServerOptions | undefined;
  /** Asked about messages and trials; `null` or absent = no judge. */
  readonly judge?: JudgeUse | null | undefined;
  readonly threads?: number | undefined;
  /** In bytes. */
  readonly memoryLimit?: number | undefined;
  /** Number format of the frozen weights; default unchanged. */
  readonly base?: ResidentFormat | undefined;
  /** Precision of large matrix products; default `f32`. */
  readonly precision?: Precision | undefined;
  readonly rank: number;
  readonly alpha: number;
  /** Initial adapter instead of the edge's stable policy or a fresh adapter. */
  readonly start?: AdapterFolder | undefined;
  readonly seed: number;
  /** The frozen tasks, in the environment that the edge assigns. */
  readonly tasks: Omit<FrozenTasks, "environment">;
  /** Environments of the user that the edge may assign; default: the built-in ones only. */
  readonly environments?: readonly EnvironmentSpec[] | undefined;
  /** Tools of the site's pages, for a site without an environment; absent = unknown. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Largest fall of the success rate that is tolerated as noise. */
  readonly promotionMargin: number;
  readonly leaseSeconds: number;
  /** Waits until other sites of the process let this one compute; default: there are none. */
  readonly turn?: Turn | undefined;
  readonly pollMs: number;
};

/** The adapter tensors among an engine's parameters. */
import { VALUE_HEAD } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";

const HEADS: ReadonlySet<string> = new Set(Object.values(VALUE_HEAD));

/** The parameters without value heads, which are not part of a published policy. */
export function adapterOf(parameters: TensorMap): TensorMap {
  return new Map([...parameters].filter(([name]) => !HEADS.has(name)));
}

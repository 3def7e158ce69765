/** The tensors that a policy has of an engine's parameters. */
import { VALUE_HEAD } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";

const HEADS: ReadonlySet<string> = new Set(Object.values(VALUE_HEAD));

/** Without value heads, which a policy does not have. */
export function adapterOf(parameters: TensorMap): TensorMap {
  return new Map([...parameters].filter(([name]) => !HEADS.has(name)));
}

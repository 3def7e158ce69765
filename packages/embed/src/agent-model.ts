/** Which model an agent runs: the site's, which learns; one of the visitor's choice; or a chat. */
import type { WeightFormat } from "@waggle/model";
import type { LoadModelOptions, ModelSource } from "@waggle/runtime";
import type { ChatSource } from "@waggle/runtime/chat";

export type AgentModel =
  /** The policy that the site's edge publishes. The only one whose answers can be learned from. */
  | { readonly kind: "site" }
  /** Another model, in this page: nothing of what it does is collected. */
  | {
      readonly kind: "address";
      /** `org/name` of Hugging Face, the address of a folder, or a folder of the visitor's. */
      readonly source: ModelSource | string;
      /** Default: as it is stored; numbers by size, `f32` below 350 M parameters, else `int4`. */
      readonly dtype?: WeightFormat;
      /** For tests. */
      readonly load?: Pick<LoadModelOptions, "fetch" | "storage">;
    }
  /** Text only, as the browser's own model: no tokens, so nothing that could be collected. */
  | { readonly kind: "chat"; readonly name: string; readonly source: ChatSource };

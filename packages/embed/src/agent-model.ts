/** The choice of model for an agent: the site's policy, a model of the visitor's choice, or a text-only chat. */
import type { WeightFormat } from "@waggle/model";
import type { LoadModelOptions, ModelSource } from "@waggle/runtime";
import type { ChatSource } from "@waggle/runtime/chat";

/** Which model an agent runs. */
export type AgentModel =
  /** The policy that the site's edge publishes. Only its trajectories are collected for training. */
  | { readonly kind: "site" }
  /** Another model that runs in this page. Nothing it does is collected. */
  | {
      readonly kind: "address";
      /** A Hugging Face repository (`org/name`), the URL of a folder, or a folder that the visitor picked. */
      readonly source: ModelSource | string;
      /** Default: the stored format; for unquantized weights `f32` below 350 M parameters, otherwise `int4`. */
      readonly dtype?: WeightFormat;
      /** Replaced in tests. */
      readonly load?: Pick<LoadModelOptions, "fetch" | "storage">;
    }
  /** A chat that returns only text, such as the browser's built-in model. Without tokens, nothing can be collected. */
  | { readonly kind: "chat"; readonly name: string; readonly source: ChatSource };

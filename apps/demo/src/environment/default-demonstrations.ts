/**
 * The demonstrations that the default model is trained on. Any change gives another model. The published one has not seen
 * wishes for described things, and about 7,000 of the wordings.
 */
import { type EnvironmentSpec, INVENTED_TOOLS, mixed } from "@waggle/environments";
import { FURTHER_SHOP_TALK, REDRAWN_SHOP_TALK, SHOP_TALK } from "./talk/talk-spec.ts";

/** Conversations with the shop's visitors, and tasks with invented tools. The second level is an exercise in copying. */
export const DEFAULT_DEMONSTRATIONS: EnvironmentSpec = mixed("default", [
  [
    { spec: SHOP_TALK, level: 0, share: 36 },
    { spec: SHOP_TALK, level: 1, share: 22 },
    { spec: REDRAWN_SHOP_TALK, level: 0, share: 12 },
    { spec: REDRAWN_SHOP_TALK, level: 1, share: 8 },
    { spec: FURTHER_SHOP_TALK, level: 0, share: 34 },
    { spec: FURTHER_SHOP_TALK, level: 1, share: 24 },
    { spec: INVENTED_TOOLS, level: 0, share: 10 },
    { spec: INVENTED_TOOLS, level: 1, share: 5 },
    { spec: INVENTED_TOOLS, level: 2, share: 6 },
  ],
  [{ spec: INVENTED_TOOLS, level: 2, share: 1 }],
]);

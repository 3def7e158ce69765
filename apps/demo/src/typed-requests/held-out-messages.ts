/** Talks with one message, of which it is known which cart they want. A calibration is fitted on held-out ones. */
import type { EnvironmentSpec } from "@waggle/environments";
import { SHOP_TALK } from "../environment/index.ts";

export const MESSAGES: EnvironmentSpec = { ...SHOP_TALK, levels: 1 };

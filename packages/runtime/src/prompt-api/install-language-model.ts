/** Puts `LanguageModel` over a chat on a page whose browser has none, or one without a model. */
import type { ChatSource } from "../chat/chat-source.ts";
import { createLanguageModelClass } from "./language-model.ts";
import type { LanguageModelConstructor } from "./prompt-api-types.ts";

/** Options of `installLanguageModel`. */
export type InstallOptions = {
  /** Object that gets `LanguageModel`. Default: the global object. */
  readonly target?: { LanguageModel?: unknown };
  /**
   * `absent`: only if there is none. `unavailable` (default): also if the browser's has no model.
   * `always`.
   */
  readonly when?: "absent" | "unavailable" | "always";
};

/** Installs a `LanguageModel` over this chat. @returns whether it was installed. */
export async function installLanguageModel(
  source: ChatSource,
  { target = globalThis as { LanguageModel?: unknown }, when = "unavailable" }: InstallOptions = {},
): Promise<boolean> {
  const own = target.LanguageModel as LanguageModelConstructor | undefined;
  if (own !== undefined && when !== "always") {
    if (when === "absent" || (await own.availability()) !== "unavailable") return false;
  }
  Object.defineProperty(target, "LanguageModel", {
    value: createLanguageModelClass(source),
    configurable: true,
    writable: true,
  });
  return true;
}

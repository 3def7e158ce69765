/** Public names that nothing uses, and how many names packages have. */
import { expect, test } from "vitest";
import { PublicNames } from "../../scripts/health/public-names.ts";

/** Most public names of a package; absent = no limit. */
const MOST: Readonly<Record<string, number>> = { "@waggle/learning": 400 };

/** Names that nothing uses yet. The list may only get shorter. */
const NOT_USED_YET: Readonly<Record<string, readonly string[]>> = {
  "@waggle/collector": ["createMemoryStorage"],
  "@waggle/embed": ["PanelTexts", "WaggleAgentElement"],
  "@waggle/environments": [
    "EXCHANGE_RATES",
    "EXPERT",
    "NO_CALLS_LEFT",
    "SHOP_TASK_KINDS",
    "convertCurrency",
    "definitionsOf",
    "evaluateExpression",
    "initialShopState",
    "numbersIn",
    "runTool",
    "searchProducts",
    "shopInstance",
    "shopReducer",
    "sortProducts",
    "tool",
  ],
  "@waggle/evaluation": ["median", "quantile"],
  "@waggle/model": [
    "float16ToFloat32",
    "openSafetensors",
    "openShardedSafetensors",
    "readShardedSafetensors",
    "ropeFrequencies",
  ],
  "@waggle/runtime": [
    "FetchAdapterOptions",
    "InstallOptions",
    "deleteModel",
    "fetchAdapter",
    "installLanguageModel",
    "listModels",
    "modelMemory",
    "openModel",
    "sampleToken",
    "scoreToken",
    "webgpuLimits",
  ],
  "@waggle/testing": ["ScriptedSession", "TinkerFaults"],
  "@waggle/text": ["NANO_CHAT_TEMPLATE", "detectToolCallFormat"],
};

const names = new PublicNames();

test.each(names.packages)("%s has no public name that nothing uses", (name) => {
  expect(names.unused(name)).toEqual(NOT_USED_YET[name] ?? []);
});

test.each(Object.entries(MOST))("%s has at most %i public names", (name, most) => {
  expect(names.of(name).size).toBeLessThanOrEqual(most);
});

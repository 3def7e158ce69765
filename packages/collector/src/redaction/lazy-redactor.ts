/**
 * A redactor that loads the built-in rules with the first text that they could change. A page whose visitor says
 * "hello" does not wait for them.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { Redactor } from "@waggle/protocol";
import { mayHoldPersonalData } from "./may-hold-personal-data.ts";
import { redactorOver, toDetectionRules } from "./redactor-over-rules.ts";
import type { RedactorOptions } from "./redactor.ts";
import type { DetectionRule } from "./rule.ts";

/** A redactor whose values must be passed to `prepare` first. */
export type LazyRedactor = Required<Redactor> & {
  /** Loads the built-in rules, so that later values need no network. */
  load(): Promise<void>;
};

/** Loads the built-in rules. */
type LoadRules = () => Promise<{ readonly BUILT_IN_RULES: readonly DetectionRule[] }>;

const loadBuiltInRules: LoadRules = () => import("./built-in-rules.ts");

/** Rules that a function has loaded, for all redactors of the page. */
const loadedBy = new WeakMap<LoadRules, readonly DetectionRule[]>();

/**
 * A redactor without any issued placeholders. `redact` and `redactJson` throw `INTERNAL` for a value that needs rules
 * which were not loaded: no text passes without them.
 * @throws WaggleError `INVALID_ARGUMENT` for a rule whose type is not valid in a placeholder.
 */
export function createLazyRedactor(
  options: RedactorOptions = {},
  load: LoadRules = loadBuiltInRules,
): LazyRedactor {
  const own = toDetectionRules(options.rules ?? []);
  let all: readonly DetectionRule[] | null = null;
  const rulesFor = (text: string): readonly DetectionRule[] => {
    const loaded = loadedBy.get(load);
    if (loaded !== undefined) return (all ??= [...own, ...loaded]);
    if (!mayHoldPersonalData(text)) return own;
    throw new WaggleError(
      "INTERNAL",
      "the rules of redaction are not loaded; await prepare(value) before redacting it",
    );
  };
  const loadRules = async (): Promise<void> => {
    if (!loadedBy.has(load)) loadedBy.set(load, (await load()).BUILT_IN_RULES);
  };
  return {
    ...redactorOver(rulesFor),
    load: loadRules,
    prepare: async (value) => {
      if (!loadedBy.has(load) && needsRules(value)) await loadRules();
    },
  };
}

function needsRules(value: unknown): boolean {
  if (typeof value === "string") return mayHoldPersonalData(value);
  if (typeof value === "number") return value >= 1e13;
  if (Array.isArray(value)) return value.some(needsRules);
  return isObject(value) && Object.entries(value).some((entry) => entry.some(needsRules));
}

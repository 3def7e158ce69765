/** The demonstrations that the shop's own model, `packages/model/nano`, was trained on. Any change gives another model. */
import { demonstrated, SHOP } from "./shop-spec.ts";
import type { ShopSkill } from "./shop-demonstrator.ts";
import type { EnvironmentSpec } from "@waggle/environments";

/**
 * Demonstrators that are wrong about half of the time. The base must leave room to learn, but every
 * correct choice must be common enough for sampling to find it.
 */
const SKILL: ShopSkill = {
  sort: 0.36,
  limit: 0.75,
  quantity: 0.5,
  convert: 0.64,
  match: 0.68,
  look: 0.64,
  both: 0.41,
};

/** The shop with a demonstrator that errs with these probabilities. */
export const NANO_DEMONSTRATIONS: EnvironmentSpec = {
  ...SHOP,
  demonstrator: (reference, random) => demonstrated(reference, random, SKILL),
};

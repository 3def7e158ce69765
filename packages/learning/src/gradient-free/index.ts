/** Learning without gradients: parameters moved by seeded noise and scores. */
export { evolutionStep } from "./evolution-strategies.ts";
export type { EvolutionOptions, PerturbationScore } from "./evolution-strategies.ts";
export { perturbed, seededNormals } from "./seeded-noise.ts";

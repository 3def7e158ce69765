/** The slow float64 twin of what trains and runs a decoder: outputs of the TrainEngine port. */
export { plainOutputs } from "./plain-outputs.ts";
export type { PlainOutputs } from "./plain-outputs.ts";

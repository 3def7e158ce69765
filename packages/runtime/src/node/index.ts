/** The Policy in Node. */
export { convertModel } from "./convert-model.ts";
export type { ConvertedModel, ConvertModelOptions, ConvertProgress } from "./convert-model.ts";
export { openModelFolder } from "./model-folder.ts";
export type { ModelFolder } from "./model-folder.ts";
export { createNodePolicy } from "./node-policy.ts";
export type { NodePolicyOptions } from "./node-policy.ts";
export type { AdapterStrategy } from "../backend/cpu/cpu-backend.ts";
export type { AdaptivePolicy, Cancellable, Session, SessionSnapshot } from "../session/session.ts";
export type { SampledToken, SamplingDistribution, TokenScore } from "../sampler.ts";

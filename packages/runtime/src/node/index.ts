/** The Policy in Node. */
export { createNodePolicy } from "./node-policy.ts";
export type { NodePolicyOptions } from "./node-policy.ts";
export type { AdaptivePolicy } from "../decoder-policy.ts";
export type { AdapterStrategy } from "../ort-session.ts";
export { sampleToken, scoreToken } from "../sampler.ts";
export type { SampledToken, SamplingDistribution, TokenScore } from "../sampler.ts";

/** A server of the Tinker API for tests: SkyRL's or open-rl's answers over any TrainEngine. */
export type { TinkerFault } from "./tinker-faults.ts";
export { createTinkerServer } from "./tinker-server.ts";
export type { TinkerRequest, TinkerServer, TinkerServerOptions } from "./tinker-server.ts";
export type { ExportFiles, SavedWeights, TinkerModelRequest } from "./tinker-state.ts";

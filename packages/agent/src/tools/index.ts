/** Tools of your own, with typed arguments: an entry that pages, Workers and tests can load. */
export { isLibrarySchema, jsonSchemaOf, parsedArguments } from "./argument-schema.ts";
export type { PageTool } from "./page-tool.ts";
export { brokenLimit } from "../broken-limit.ts";
export { createToolRunner } from "../tool-runner.ts";
export type { EdgeTool } from "./define-tools.ts";
export { defineEdgeTools, definePageTools } from "./define-tools.ts";

/** LangChain's classes for OpenAI's API, of our server. */
import { testedCounterpart } from "./tested-counterpart.ts";

export default testedCounterpart({
  packages: ["@langchain/openai"],
  area: "OpenAI's API",
  tests: [{ project: "node", file: "packages/runtime/src/openai-http/langchain-clients.test.ts" }],
});

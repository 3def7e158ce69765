/** The AI SDK: its providers of our server, our provider in its functions, and our transport in its chat. */
import { openAIDeviations } from "./listed-deviations.ts";
import { testedCounterpart } from "./tested-counterpart.ts";

export default testedCounterpart({
  packages: ["ai", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "@ai-sdk/react"],
  area: "OpenAI's API",
  tests: [
    { project: "node", file: "packages/runtime/src/openai-http/ai-sdk-clients.test.ts" },
    { project: "node", file: "packages/runtime/src/ai-sdk/language-model.test.ts" },
    { project: "node", file: "packages/embed/src/ai-sdk/chat-transport.test.ts" },
  ],
  deviations: openAIDeviations().filter((each) => each.case.includes("/responses")),
});

/** OpenAI's client of our server. */
import { openAIDeviations } from "./listed-deviations.ts";
import { testedCounterpart } from "./tested-counterpart.ts";

const FOLDER = "packages/runtime/src/openai-http";

export default testedCounterpart({
  packages: ["openai"],
  area: "OpenAI's API",
  tests: [
    {
      project: "node",
      file: `${FOLDER}/chat-handler.test.ts`,
      // The others send what the client cannot.
      only: /^(?!odd values|no value of any field)/,
    },
    { project: "node", file: `${FOLDER}/http-chat.test.ts`, only: /OpenAI's own client/ },
    { project: "node", file: `${FOLDER}/served-schemas.test.ts` },
    { project: "node", file: `${FOLDER}/openai-differences.test.ts`, deviating: /./ },
  ],
  deviations: openAIDeviations(),
});

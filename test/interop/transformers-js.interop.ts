/** Transformers.js: the ONNX folders that we write, and its tokenizer beside ours. */
import { testedCounterpart } from "./tested-counterpart.ts";

export default testedCounterpart({
  packages: ["@huggingface/transformers"],
  area: "Models and tokenizers",
  tests: [
    { project: "node", file: "test/contract/transformers-js.test.ts" },
    {
      project: "node",
      file: "test/golden/tokenizers/tokenizers.test.ts",
      only: /Transformers\.js/,
    },
  ],
});

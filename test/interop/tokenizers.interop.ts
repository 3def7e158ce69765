/** Hugging Face's Rust library for tokenizers. Its ids are recorded in test/golden/tokenizers. */
import { testedCounterpart } from "./tested-counterpart.ts";

const { run, area } = testedCounterpart({
  packages: ["@huggingface/tokenizers"],
  area: "Models and tokenizers",
  tests: [
    {
      project: "node",
      file: "test/golden/tokenizers/tokenizers.test.ts",
      only: /Rust library|people's text has/,
    },
  ],
});

export default { name: "tokenizers (Rust)", version: "0.22, recorded", area, run };

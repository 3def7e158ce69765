/**
 * The published Tinker SDK, which is Python, with `@waggle/testing/tinker-server`. The SDK itself is run if
 * WAGGLE_TINKER_PYTHON names a Python that has it. Otherwise the requests that it sent are replayed.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../scripts/root.ts";
import type { Counterpart, Deviation } from "./counterpart.ts";
import { runTests } from "./tested-counterpart.ts";

const FOLDER = "packages/engine/src/remote";
const python = process.env["WAGGLE_TINKER_PYTHON"];

const deviations: readonly Deviation[] = [
  {
    case: "images, audio, sparse tensors, stop strings, top_k, top_p, topk_prompt_logprobs",
    reason:
      "The test server trains and samples with engines of token ids, over the full vocabulary.",
  },
  {
    case: "losses other than cross_entropy and importance_sampling",
    reason: "The request fails with the category `user`.",
  },
  {
    case: "projects, billing, audit logs, lists of training runs, tokens in place of keys",
    reason: "They belong to the service's accounts, and the test server has none.",
  },
];

function version(): string {
  if (python !== undefined) {
    const code = "import tinker; print(tinker.__version__)";
    return execFileSync(python, ["-c", code], { encoding: "utf8" }).trim();
  }
  const golden = readFileSync(join(ROOT, FOLDER, "tinker-sdk.golden.json"), "utf8");
  return (JSON.parse(golden) as { readonly sdk: string }).sdk;
}

const counterpart: Counterpart = {
  name: python === undefined ? "tinker (recorded requests)" : "tinker",
  area: "Tinker API",
  version: version(),
  run: () =>
    runTests({
      tests: [
        {
          project: "node",
          file: `${FOLDER}/tinker-sdk.test.ts`,
          only: python === undefined ? /recorded requests/ : /./,
        },
        { project: "node", file: "packages/testing/src/tinker-server/sdk-messages.test.ts" },
      ],
      deviations,
    }),
};

export default counterpart;

/** The Prompt API's draft as IDL, and Chromium's own `LanguageModel`. */
import { spawnSync } from "node:child_process";
import { chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { CHROMIUM_DEVIATIONS } from "../../packages/runtime/src/prompt-api/create-options.fixture.ts";
import { draftDeviations } from "../fixtures/prompt-api-draft.ts";
import { testedCounterpart } from "./tested-counterpart.ts";

const tested = testedCounterpart({
  packages: ["@webref/idl"],
  area: "Prompt API",
  tests: [
    {
      project: "node",
      file: "test/contract/prompt-api.test.ts",
      deviating: /differs as the page says/,
    },
    {
      project: "browser",
      file: "packages/runtime/src/prompt-api/prompt-api.browser.test.ts",
      only: /Chromium/,
    },
  ],
  deviations: [
    ...draftDeviations(),
    ...Object.entries(CHROMIUM_DEVIATIONS).map(([options, reason]) => ({
      case: `Chromium, create(${options})`,
      reason,
    })),
  ],
});
const { stdout } = spawnSync(chromiumPath(), ["--version"], { encoding: "utf8" });

export default {
  ...tested,
  version: `${tested.version}, Chromium ${/[\d.]+/.exec(stdout)?.[0] ?? "(not installed)"}`,
};

import { expect, test } from "vitest";
import { reasonText } from "./reason-text.ts";

test.each([
  ["replay-mismatch at turn 2", "the site's page and its environment disagree at turn 2"],
  ["replay-mismatch", "the site's page and its environment disagree in what the model reads"],
  ["log-prob-gap", "log-prob-gap"],
])("the reason %s is shown as: %s", (reason, text) => {
  expect(reasonText(reason)).toBe(text);
});

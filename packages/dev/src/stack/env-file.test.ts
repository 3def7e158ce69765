import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { envFileText } from "./env-file.ts";

test("values are read as they were, also JSON and texts with an apostrophe", () => {
  const values = {
    METRICS: JSON.stringify({ booked: { type: "boolean", better: "higher" } }),
    ALLOWED_ORIGINS: "*",
    SITE_KEYS: "local-shop, it's",
    TASK_ENVIRONMENT: "",
  };
  expect(parseEnv(envFileText(values))).toEqual(values);
});

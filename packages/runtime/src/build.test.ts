import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { RUNTIME_BUILD } from "./build.ts";

test("the recorded build is the package's version", () => {
  expect(RUNTIME_BUILD).toBe(manifest.version);
});

/**
 * Pages of earlier versions go on calling these routes, so none may change by accident. Where one is meant to change, run
 * test/golden/edge/write.mjs and read the difference.
 */
import { expect, test } from "vitest";
import golden from "../../../test/golden/edge/routes.json" with { type: "json" };
import { endpoints } from "./app.ts";
import { routesOf } from "./testing/described-routes.ts";

test("the routes, their callers, parameters and answers are as recorded", () => {
  expect(routesOf(endpoints)).toEqual(golden);
});

import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { describeError } from "./resident-policy.ts";

const EDGE = "https://edge.example";
const network = (message: string) => new WaggleError("NETWORK", message, { retryable: true });

test.each([
  ["no response within 20 seconds"],
  [`cannot read ${EDGE}/v1/objects/ab: Failed to fetch; try again`],
])("a visitor reads of the assistant's server: %s", (message) => {
  expect(describeError(network(message), EDGE)).toEqual({
    code: "NETWORK",
    message: "The assistant's server cannot be reached.",
    retryable: true,
  });
});

test("a failure of a server with a model names its address", () => {
  const message = "cannot read https://models.example/config.json: Failed to fetch; try again";
  expect(describeError(network(message), EDGE)).toMatchObject({ code: "NETWORK", message });
});

import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { logLine } from "./error-log.ts";

const request = { requestId: "r", method: "POST", path: "/v1/trajectories" };
const logged = (error: unknown) => JSON.parse(logLine(request, error)).error;

/** The error that `fn` throws. */
function thrown(fn: () => unknown): unknown {
  try {
    return fn();
  } catch (error) {
    return error;
  }
}

test("quoted text is removed from messages of foreign errors, and long ones are cut", () => {
  const parsing = thrown(() => JSON.parse('"my card is 4111"x'));
  expect(logged(parsing)).toMatchObject({ class: "SyntaxError", message: "" });
  const error = new TypeError(`cannot bind 'anna@example.com' or "4111 1111" of bo@example.com`);
  expect(logged(error).message).toBe("cannot bind … or … of …");
  expect(logged(new Error("x ".repeat(500))).message).toHaveLength(200);
});

test("class, code and stack of the error and of a limited number of causes are logged", () => {
  let error: Error = new RangeError("deep");
  for (let i = 0; i < 10; i += 1) error = new Error("outer", { cause: error });
  const line = logLine(request, new WaggleError("INTERNAL", "ours", { cause: error }));
  expect(line.match(/"class"/g)).toHaveLength(5);
  expect(JSON.parse(line)).toMatchObject({
    requestId: "r",
    error: { code: "INTERNAL", message: "ours" },
  });
  expect(logged("text of a visitor")).toEqual({ class: "string" });
});

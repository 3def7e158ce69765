/** Which browsers are refused, and with which words. */
import { expect, test } from "vitest";
import { type BrowserScope, requireBrowser } from "./browser-support.ts";

const CURRENT: BrowserScope = {
  isSecureContext: true,
  Worker: class {} as unknown as typeof Worker,
  WebAssembly,
  CompressionStream,
  Promise,
};

test("a current browser may run the assistant", () => {
  expect(() => requireBrowser(CURRENT)).not.toThrow();
});

test.each([
  ["plain http", { isSecureContext: false }, /only on secure pages: serve this page over https/],
  ["no WebAssembly", { WebAssembly: undefined }, /it lacks WebAssembly with SIMD\. Current/],
  [
    "WebAssembly without SIMD",
    { WebAssembly: { ...WebAssembly, validate: ({ byteLength }: BufferSource) => byteLength < 9 } },
    /it lacks WebAssembly with SIMD\./,
  ],
  [
    "a browser of 2022",
    { CompressionStream: undefined, Promise: {} },
    /it lacks compression streams and JavaScript of 2024\./,
  ],
  ["no workers", { Worker: undefined }, /it lacks workers\./],
] as const)("%s is refused in a sentence that a visitor understands", (_, change, words) => {
  expect(() => requireBrowser({ ...CURRENT, ...change } as BrowserScope)).toThrowError(
    expect.objectContaining({
      code: "BROWSER_UNSUPPORTED",
      retryable: false,
      message: expect.stringMatching(words),
    }),
  );
});

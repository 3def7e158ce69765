/** Whether this browser can run a model. Without the check, a page in an old browser or on plain http fails in odd places. */
import { WaggleError } from "@waggle/protocol";

/** What a model needs of its browser. */
export type BrowserScope = Partial<
  Pick<typeof globalThis, "isSecureContext" | "Worker" | "WebAssembly" | "CompressionStream">
> & { readonly Promise: object };

/** A WebAssembly module with one SIMD instruction, from https://github.com/GoogleChromeLabs/wasm-feature-detect. */
const SIMD_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
]);

/** @throws WaggleError `BROWSER_UNSUPPORTED` with a sentence for the visitor, or for the author if it is plain http. */
export function requireBrowser(scope: BrowserScope = globalThis): void {
  if (scope.isSecureContext === false) {
    throw new WaggleError(
      "BROWSER_UNSUPPORTED",
      "The assistant runs only on secure pages: serve this page over https, or on localhost.",
    );
  }
  const lacks = [
    scope.WebAssembly?.validate(SIMD_MODULE) === true ? null : "WebAssembly with SIMD",
    scope.Worker === undefined ? "workers" : null,
    scope.CompressionStream === undefined ? "compression streams" : null,
    "withResolvers" in scope.Promise ? null : "JavaScript of 2024",
  ].filter((each) => each !== null);
  if (lacks.length === 0) return;
  throw new WaggleError(
    "BROWSER_UNSUPPORTED",
    `This browser cannot run the assistant, because it lacks ${lacks.join(" and ")}. Current versions of Chrome, Edge and Firefox can.`,
  );
}

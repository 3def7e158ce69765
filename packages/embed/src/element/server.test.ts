/** Frameworks that render pages on a server import the element there, where there is no DOM. */
import { expect, test } from "vitest";

test("a server can import the element, which then defines nothing", async () => {
  expect("HTMLElement" in globalThis || "customElements" in globalThis).toBe(false);
  const { WaggleAgentElement } = await import("./index.ts");
  expect(WaggleAgentElement.observedAttributes).toEqual(["launcher", "developer"]);
});

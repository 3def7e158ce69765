/** A page with a user's environment contains no built-in one. */
import { expect, test } from "vitest";
import { builtPage } from "../fixtures/built-page.ts";

const PAGE = `
import { defineEnvironment } from "@waggle/agent/define";
globalThis.environment = defineEnvironment({
  name: "own",
  prompt: "You answer.",
  tasks: ({ random }) => ({ request: "own-request-" + random(), state: {}, data: null }),
  tools: {},
  verify: () => false,
});
`;

test("a production build has the author's environment, no shop and no checks, in at most 41 KB", async () => {
  const scripts = [...(await builtPage(PAGE))].filter(([file]) => /\.m?js$/.test(file));
  const code = scripts.map(([, content]) => String(content)).join("\n");
  expect(code).toContain("own-request-");
  for (const foreign of ["add_to_cart", "key-door", "near misses", "node:fs"]) {
    expect({ foreign, isThere: code.includes(foreign) }).toEqual({ foreign, isThere: false });
  }
  expect(code.length).toBeLessThan(41_000);
}, 60_000);

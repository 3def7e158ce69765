import { expect, test } from "vitest";
import { practicePart } from "./practice-part.ts";

const MODULE = `import { defineEnvironment } from "@waggle/agent/define";
const answer = (data: { day: string }) => data.day;
export default defineEnvironment({
  name: "planner",
  tasks: ({ pick }) => ({ request: "", state: {}, data: { day: pick(["monday"]) } }),
  user: () => null,
  verify: ({ state, data }) =>
    state.day === answer(data),
  *demonstrate({ data }) {
    yield ["move", { day: data.day }];
  },
  "gold": () => [],
  nearMiss: (task) => [[], [task.data.day]],
  mistake(turn) { return turn; },
  maxTurns: 3,
});
`;

/** What the call gets when the module runs. */
async function definitionOf(code: string): Promise<{ readonly [field: string]: unknown }> {
  const runnable = code
    .replace(/^import .*$/m, "const defineEnvironment = (definition) => definition;")
    .replace("(data: { day: string })", "(data)");
  const module: unknown = await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(runnable)}`
  );
  return (module as { readonly default: { readonly [field: string]: unknown } }).default;
}

test("a page gets the tasks, the tools and the user of an environment, on the lines where they were", async () => {
  const part = practicePart("environment.ts", MODULE, false);
  expect(part?.isComplete).toBe(true);
  const { code = "" } = part ?? {};
  expect(code).not.toMatch(/state\.day|yield|task\.data|return turn/);
  expect(code.split("\n").indexOf("  maxTurns: 3,")).toBe(
    MODULE.split("\n").indexOf("  maxTurns: 3,"),
  );
  const { verify, ...definition } = await definitionOf(code);
  expect(definition).toMatchObject({ name: "planner", maxTurns: 3 });
  expect((definition["user"] as () => null)()).toBeNull();
  for (const field of ["demonstrate", "gold", "nearMiss", "mistake"]) {
    expect({ field, value: definition[field] }).toEqual({ field, value: undefined });
  }
  expect(verify as () => void).toThrow("this page has no verifier");
});

test("a page that judges its tasks keeps the verifier", async () => {
  const { verify, demonstrate } = await definitionOf(
    practicePart("environment.ts", MODULE, true)?.code ?? "",
  );
  const judge = verify as (end: object) => boolean;
  expect(judge({ state: { day: "monday" }, data: { day: "monday" } })).toBe(true);
  expect(demonstrate).toBeUndefined();
});

test("a definition from elsewhere is not changed, and other modules are not read", () => {
  const code =
    'import { definition } from "./other.ts";\nexport default defineEnvironment(definition);\n';
  expect(practicePart("environment.ts", code, false)).toEqual({ code, isComplete: false });
  expect(practicePart("page.ts", "export const verify = () => true;", false)).toBeNull();
  const re = 'export { defineEnvironment } from "@waggle/agent/define";\n';
  expect(practicePart("re-export.ts", re, false)).toBeNull();
});

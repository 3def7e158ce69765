import { afterEach, describe, expect, test } from "vitest";
import { loadSite } from "./load-site.ts";
import { importText } from "./source-file.ts";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";

const removals: (() => void)[] = [];
afterEach(() => removals.splice(0).forEach((remove) => remove()));

function site(changed?: { readonly [file: string]: string }): string {
  const { folder, remove } = plannerSite(changed);
  removals.push(remove);
  return folder;
}

/** The site with one text of one file replaced. */
function planted(file: string, text: string, by: string): string {
  const before = PLANNER_FILES[file] ?? "";
  expect(before).toContain(text);
  return site({ [file]: before.replace(text, by) });
}

/** The refusal, without the folder. */
async function refusal(folder: string): Promise<string> {
  const error: unknown = await loadSite(folder).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
  return String((error as Error).message).replaceAll(`${folder}/`, "");
}

describe("a site without a mistake", () => {
  test("loads with its tools, and its environment is judged by its reward", async () => {
    const loaded = await loadSite(site());
    expect(loaded.pageTools.map(({ name }) => name)).toEqual(["move"]);
    expect(loaded.edgeTools.map(({ definition }) => definition)).toEqual([
      expect.objectContaining({ name: "holidays", source: "edge" }),
    ]);
    const { environment } = loaded;
    if (environment === null) throw new Error("the site has an environment");
    const { judge } = environment.create(environment.reference(0, "train", 0));
    expect(await judge("nothing")).toMatchObject({ reward: 0, success: false });
  });

  test("may list plain tools that leave out the type of their arguments", async () => {
    const tools = `import { MOVE } from "./shared.ts";
const { type: _, ...parameters } = MOVE.parameters;
export default [{ name: "move", ...MOVE, parameters, run: () => 1 }];
`;
    const edgeTools = `import { HOLIDAYS } from "./shared.ts";
const { type: _, ...parameters } = HOLIDAYS.parameters;
const run = async (_: object, signal: AbortSignal) => signal.aborted;
export default [{ definition: { ...HOLIDAYS, name: "holidays", parameters, source: "edge" }, run }];
`;
    const loaded = await loadSite(site({ "tools.ts": tools, "edge-tools.ts": edgeTools }));
    expect(loaded.pageTools[0]?.parameters).toMatchObject({ type: "object" });
    const [holidays] = loaded.edgeTools;
    expect(holidays?.definition.parameters).toMatchObject({ type: "object" });
    expect(await holidays?.run({}, AbortSignal.abort())).toBe(true);
  });

  test("a page tool gets arguments of the type that its schema has", async () => {
    const { pageTools } = await loadSite(site());
    const { signal } = new AbortController();
    expect(await pageTools[0]?.run({ day: "monday" }, { signal })).toBe("monday");
  });
});

const CONFIG = "waggle.config.ts";

test.each([
  [
    "an unknown field",
    CONFIG,
    "prompt: PROMPT",
    "promt: PROMPT",
    /^waggle\.config\.ts:7:10: the site has no field promt; did you mean prompt\?/,
  ],
  [
    "an unknown field that resembles none",
    CONFIG,
    "prompt: PROMPT",
    "headline: PROMPT",
    /^waggle\.config\.ts:7:13: the site has no field headline\. The fields are id, name, prompt/,
  ],
  [
    "a missing field",
    CONFIG,
    '  name: "Planner",\n',
    "",
    /^waggle\.config\.ts:4:27: name is missing; write what people read/,
  ],
  [
    "a field of a wrong type",
    CONFIG,
    'id: "planner"',
    "id: 7",
    /^waggle\.config\.ts:5:7: id is 7; write 1 to 39 lower-case letters/,
  ],
  [
    "a number outside of its range",
    CONFIG,
    "minTasks: 32",
    "minTasks: 0.5",
    /^waggle\.config\.ts:14:21: gate\.minTasks is 0\.5; write a whole number from 1/,
  ],
  [
    "an origin with a path",
    CONFIG,
    "base:",
    'edge: { origins: ["https://a.example/"] },\n  base:',
    /^waggle\.config\.ts:12:21: edge\.origins\[0\] is "https:\/\/a\.example\/"; write an origin without a path/,
  ],
  [
    "a negative limit",
    CONFIG,
    "base:",
    "edge: { limits: { sessionsPerMinute: -1 } },\n  base:",
    /^waggle\.config\.ts:12:40: edge\.limits\.sessionsPerMinute is -1; write a whole number; 0 is no limit/,
  ],
  [
    "an unknown language",
    CONFIG,
    '["en", "de"]',
    '["en", "dk"]',
    /^waggle\.config\.ts:22:21: languages\[1\] is "dk"; write en, de, fr/,
  ],
  [
    "a consent text that lacks a language",
    CONFIG,
    ', de: "Wir heben Ihre Pläne auf."',
    "",
    /^waggle\.config\.ts:19:11: consent\.text has no text in de, and languages names en, de; write text: \{ en: "…", de: "…" \}/,
  ],
  [
    "one consent text for several languages",
    CONFIG,
    '{ en: "May we keep this?", de: "Dürfen wir das aufheben?" }',
    '"May we keep this?"',
    /^waggle\.config\.ts:18:12: consent\.title is one text, and languages names en, de; write title: \{ en/,
  ],
  [
    "a consent text in a language that the site does not have",
    CONFIG,
    '"We keep your plans.",',
    '"We keep your plans.", fr: "Nous gardons vos plans.",',
    /^waggle\.config\.ts:19:11: consent\.text has a text in fr, and languages names en, de/,
  ],
  [
    "a consent text in an unknown language",
    CONFIG,
    'de: "Wir',
    'dk: "Wir',
    /^waggle\.config\.ts:19:44: consent\.text has no field dk; did you mean de\? The fields are en, de, fr/,
  ],
  [
    "a redaction rule without a pattern",
    CONFIG,
    "/room-[0-9]+/i",
    '"room-"',
    /^waggle\.config\.ts:21:40: redaction\[0\]\.pattern is "room-"; write a regular expression/,
  ],
  [
    "a redaction rule that matches the empty text",
    CONFIG,
    "/room-[0-9]+/i",
    "/[0-9]*/g",
    /redaction\[0\]\.pattern is \/\[0-9\]\*\/g; write a regular expression that does not match the empty text/,
  ],
  [
    "code that is loaded at once",
    CONFIG,
    importText("./tools.ts"),
    importText("./tools.ts").slice(6),
    /^waggle\.config\.ts:8:10: tools is a promise; write \(\) => import/,
  ],
  [
    "code that a bundler cannot follow",
    CONFIG,
    importText("./tools.ts"),
    "async () => ({ default: [] })",
    /^waggle\.config\.ts:8:10: tools is not written as an import; write tools: \(\) => import/,
  ],
  [
    "a module that does not exist",
    CONFIG,
    "./tools.ts",
    "./tool.ts",
    /^waggle\.config\.ts:8:10: tools imports \.\/tool\.ts, which does not exist/,
  ],
  [
    "an unknown recipe",
    CONFIG,
    '"grpo"',
    '"grpoo"',
    /^waggle\.config\.ts:13:23: unknown recipe "grpoo"; choose one of \d+, such as grpo/,
  ],
  [
    "an unknown setting of a recipe",
    CONFIG,
    "groupSize: 4",
    "groupSiz: 4",
    /^waggle\.config\.ts:13:41: recipe grpo has no setting groupSiz; it has groupSize=8/,
  ],
  [
    "a model that is not there",
    CONFIG,
    "retention:",
    'model: "./model",\n  retention:',
    /^waggle\.config\.ts:15:10: model is "\.\/model", and model has no config\.json; name the folder/,
  ],
  ["a syntax error", CONFIG, 'id: "planner",', 'id: "planner"', /^waggle\.config\.ts:6:3: /],
  [
    "no default export",
    CONFIG,
    "export default",
    "export const config =",
    /^waggle\.config\.ts:1:1: there is no default export; write export default defineSite/,
  ],
  [
    "a module without a default export",
    "tools.ts",
    "export default",
    "export const tools =",
    /^tools\.ts:1:1: there is no default export; write export default definePageTools/,
  ],
  ["1 for true", CONFIG, "retention:", "constrainToolCalls: 1,\n  retention:", /is 1; write true/],
  [
    "an unknown text of the panel",
    CONFIG,
    "retention:",
    'panel: { texts: { greating: { en: "Hello.", de: "Hallo." } } },\n  retention:',
    /^waggle\.config\.ts:15:31: panel\.texts has no field greating; did you mean greeting\? The fields are title, /,
  ],
  [
    "a text of the panel in one of two languages",
    CONFIG,
    "retention:",
    'panel: { texts: { title: { en: "Planner" } } },\n  retention:',
    /^waggle\.config\.ts:15:28: panel\.texts\.title has no text in de, and languages names en, de; write title: \{ en: "…", de: "…" \}$/,
  ],
  [
    "suggestions that are one list for two languages",
    CONFIG,
    "retention:",
    'panel: { suggestions: ["Move it."] },\n  retention:',
    /^waggle\.config\.ts:15:25: panel\.suggestions is one list, and languages names en, de; write suggestions: \{ en: \["…"\], de: \["…"\] \}$/,
  ],
  [
    "suggestions without one of two languages",
    CONFIG,
    "  retention:",
    'languages: ["en", "de"],\n  panel: { suggestions: { en: ["Move it."] } },\n  retention:',
    /panel\.suggestions has no list in de, and languages names en, de/,
  ],
  [
    "suggestions that are a text",
    CONFIG,
    "retention:",
    'panel: { suggestions: "Move it." },\n  retention:',
    /^waggle\.config\.ts:15:25: panel\.suggestions is "Move it\."; write a list of requests/,
  ],
  [
    "a module that needs a browser",
    "tools.ts",
    "let moved",
    "document.title;\nlet moved",
    /^waggle\.config\.ts:8:10: tools cannot be loaded: document is not defined\. Node loads the module to check it; use what only browsers have inside of run/,
  ],
  [
    "a schema that is no object",
    "tools.ts",
    "{ ...MOVE, run",
    '{ ...MOVE, parameters: { type: "string" }, run',
    /^tools\.ts:7:3: definePageTools\.move\.parameters has type "string"; arguments are always an object/,
  ],
  [
    "a tool without run",
    "edge-tools.ts",
    ', run: () => ["EDGE-MARKER".toLowerCase()]',
    "",
    /^edge-tools\.ts:5:3: defineEdgeTools\.holidays\.run is missing; write run: /,
  ],
  [
    "one name in the page and at the edge",
    "edge-tools.ts",
    "holidays: {",
    "move: {",
    /^edge-tools\.ts:5:3: the tool "move" is in tools and in edgeTools; rename one/,
  ],
  [
    "an MCP server without an address",
    CONFIG,
    "retention:",
    'mcpServers: [{ url: "/mcp", tools: ["weather"] }],\n  retention:',
    /^waggle\.config\.ts:15:23: mcpServers\[0\]\.url is "\/mcp"; write the address of the server/,
  ],
  [
    "a tool of an MCP server with the name of an edge tool",
    CONFIG,
    "retention:",
    'mcpServers: [{ url: "https://tools.example/mcp", tools: ["holidays"] }],\n  retention:',
    /^waggle\.config\.ts:15:60: another tool of the site has the name "holidays"; leave it out here/,
  ],
  [
    "an environment without a tool of an MCP server",
    CONFIG,
    "retention:",
    'mcpServers: [{ url: "https://tools.example/mcp", tools: ["weather"] }],\n  retention:',
    /^environment\.ts:4:\d+: the environment has no tool "weather", which the page has/,
  ],
  [
    "an environment with another prompt",
    "environment.ts",
    "prompt: PROMPT",
    'prompt: "You plan."',
    /^environment\.ts:4:\d+: the environment's prompt is "You plan\.", and the site's is "You plan meetings\."/,
  ],
  [
    "an environment without a tool of the page",
    "environment.ts",
    "    move: { ...MOVE, run: ({ day }, state) => (state.day = day) },\n",
    "",
    /^environment\.ts:4:\d+: the environment has no tool "move", which the page has/,
  ],
  [
    "an environment with a tool more",
    "tools.ts",
    "  move: {",
    "  // move\n  shift: {",
    /^environment\.ts:.* the environment has no tool "shift"/,
  ],
  [
    "an environment with another description",
    "environment.ts",
    "...MOVE, run",
    '...MOVE, description: "Shift.", run',
    /^environment\.ts:13:5: the description of the tool "move" is "Shift\." in the environment and "Move a meeting\." in the page/,
  ],
  [
    "an environment with other parameters",
    "environment.ts",
    "...HOLIDAYS, run",
    "...MOVE, description: HOLIDAYS.description, run",
    /^environment\.ts:14:5: the parameters of the tool "holidays" is/,
  ],
  [
    "a default export that is no environment",
    "environment.ts",
    "export default environment",
    "export default {}",
    /^environment\.ts:\d+:\d+: the default export is no environment/,
  ],
])("%s is refused with its place and what to write instead", async (_, file, text, by, message) => {
  expect(await refusal(planted(file, text, by))).toMatch(message);
});

test("edge tools in a plain list need JSON Schema, because the Worker does not convert it", async () => {
  const edgeTools = `import { z } from "zod";
import { HOLIDAYS } from "./shared.ts";
const parameters = z.object({ year: z.int() });
const run = async () => 1;
export default [{ definition: { ...HOLIDAYS, name: "holidays", parameters, source: "edge" }, run }];
`;
  expect(await refusal(site({ "edge-tools.ts": edgeTools }))).toMatch(
    /^edge-tools\.ts:.* the parameters of the tool "holidays" are a library's schema; write the list with defineEdgeTools/,
  );
});

test("two tools with one name are refused at the first of them", async () => {
  const tools = `import { definePageTools } from "@waggle/site";
import { MOVE } from "./shared.ts";
export default ["here", "there"].flatMap((place) =>
  definePageTools({ move: { ...MOVE, run: () => place } }),
);
`;
  expect(await refusal(site({ "tools.ts": tools }))).toMatch(
    /^tools\.ts:4:21: two tools have the name "move"; rename one/,
  );
});

test("all mistakes of the fields are reported at once", async () => {
  const changed = (PLANNER_FILES[CONFIG] ?? "")
    .replace('id: "planner"', "id: 7")
    .replace("visitorDays: 30", "visitorDays: 0");
  expect((await refusal(site({ [CONFIG]: changed }))).split("\n")).toEqual([
    expect.stringMatching(/^waggle\.config\.ts:5:7: id is 7/),
    expect.stringMatching(/^waggle\.config\.ts:15:29: retention\.visitorDays is 0/),
  ]);
});

test("a folder without a config says how to make one", async () => {
  await expect(loadSite(import.meta.dirname)).rejects.toThrow(
    /^there is no waggle\.config\.ts in .*; make a site with npm create waggle/,
  );
});

/** Waggle's `LanguageModel` against the draft's IDL and against Chromium's own class. */
import { createLanguageModelClass } from "@waggle/runtime/prompt-api";
import type { FullLanguageModelConstructor } from "@waggle/runtime/prompt-api";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, requireChromium } from "../../packages/dev/src/loop/chromium.ts";
import { localServer } from "../fixtures/local-server.ts";
import {
  DRAFT_VERSION,
  draftOrder,
  interfaceDifferences,
  readMembers,
} from "./prompt-api-draft.ts";

/** Expressions for the options of `create`. */
const OPTIONS: readonly string[] = [
  `undefined`,
  `null`,
  `5`,
  `"text"`,
  `Symbol("x")`,
  `[]`,
  `() => 1`,
  `{ expectedInputs: null }`,
  `{ expectedInputs: "text" }`,
  `{ expectedInputs: {} }`,
  `{ expectedInputs: [5] }`,
  `{ expectedInputs: [{}] }`,
  `{ expectedInputs: [{ type: "video" }] }`,
  `{ expectedInputs: new Set([{ type: "text" }]) }`,
  `{ expectedInputs: [{ type: "text", languages: "en" }] }`,
  `{ expectedInputs: [{ type: "text", languages: ["no language"] }] }`,
  `{ expectedInputs: [{ type: "text", languages: [5] }] }`,
  `{ expectedOutputs: [{ type: "tool-call" }] }`,
  `{ samplingMode: "creative" }`,
  `{ samplingMode: "slightly-creative" }`,
  `{ samplingMode: "wild" }`,
  `{ samplingMode: null }`,
  `{ samplingMode: "creative", topK: 3 }`,
  `{ topK: 1n }`,
  `{ topK: Symbol("x") }`,
  `{ topK: -2, temperature: 1 }`,
  `{ signal: null }`,
  `{ signal: {} }`,
  `{ signal: AbortSignal.abort() }`,
  `{ signal: AbortSignal.abort(new RangeError("reason")) }`,
  `{ signal: AbortSignal.abort(), expectedInputs: [{ type: "text", languages: ["no language"] }] }`,
  `{ monitor: 5 }`,
  `{ monitor: null }`,
  `{ monitor() { throw new RangeError("monitor"); } }`,
  `{ initialPrompts: [] }`,
  `{ initialPrompts: "text" }`,
  `{ initialPrompts: [{ content: "a" }] }`,
  `{ initialPrompts: [{ role: "user" }] }`,
  `{ initialPrompts: [{ role: "tool", content: "a" }] }`,
  `{ initialPrompts: [{ role: "user", content: 5 }] }`,
  `{ initialPrompts: [{ role: "user", content: null }] }`,
  `{ initialPrompts: [{ role: "user", content: [{ type: "text", value: 5 }] }] }`,
  `{ initialPrompts: [{ role: "user", content: [{ type: "text", value: new Blob([]) }] }] }`,
  `{ initialPrompts: [{ role: "user", content: "a" }, { role: "system", content: "b" }] }`,
  `{ initialPrompts: [{ role: "user", content: "a", prefix: true }] }`,
  `{ initialPrompts: [{ role: "assistant", content: "a", prefix: true }] }`,
  `{ tools: null }`,
  `{ tools: [{ name: "a", description: "b", inputSchema: 5, execute() {} }] }`,
  `{ tools: [{ name: 5, description: 6, inputSchema: {}, execute() {} }] }`,
  `{ tools: [{ name: "a", description: "b", inputSchema: {} }] }`,
];

const EARLIER =
  "The draft validates options before it looks for a model; Chromium without a model does not get that far.";

/** Where our outcome differs from Chromium's, with reasons. */
const DEVIATIONS: { readonly [name: string]: string } = {
  [`{ samplingMode: "creative", topK: 3 }`]:
    "The draft rejects the combination where topK is supported; Chromium ignores topK on pages.",
  [`{ topK: -2, temperature: 1 }`]:
    "topK below 1 is a RangeError where it is supported; Chromium ignores topK on pages.",
  [`{ initialPrompts: [{ role: "user", content: [{ type: "text", value: new Blob([]) }] }] }`]:
    EARLIER,
  [`{ initialPrompts: [{ role: "user", content: "a" }, { role: "system", content: "b" }] }`]:
    EARLIER,
  [`{ initialPrompts: [{ role: "user", content: "a", prefix: true }] }`]: EARLIER,
  [`{ tools: [{ name: "a", description: "b", inputSchema: {} }] }`]:
    "`execute` is required in the draft; Chromium 156 does not read it yet.",
};

/** Name of what a call threw or rejected with; also a function's source for the page. */
async function outcomesOf(
  model: FullLanguageModelConstructor,
  expressions: readonly string[],
): Promise<string[]> {
  const outcomes: string[] = [];
  for (const expression of expressions) {
    // oxlint-disable-next-line typescript/no-implied-eval -- the expressions above, also run by Chromium
    const options = new Function(`return (${expression})`)() as never;
    outcomes.push(
      await model.create(options).then(
        () => "created",
        (error: { readonly name: string }) => error.name,
      ),
    );
  }
  return outcomes;
}

/** A `LanguageModel` without a model, like Chromium's on a machine that has none. */
function emptyModel(): FullLanguageModelConstructor & { readonly prototype: object } {
  return createLanguageModelClass({
    availability: () => Promise.resolve("unavailable"),
    open: () => Promise.reject(new Error("there is no model")),
  }) as FullLanguageModelConstructor & { readonly prototype: object };
}

async function askChromium(): Promise<{ version: string; members: string[]; outcomes: string[] }> {
  const server = await localServer(
    () => new Response("<p>Page</p>", { headers: { "content-type": "text/html" } }),
  );
  const features = "--enable-features=AIPromptAPIParams,AIPromptAPISamplingMode,AIPromptAPIToolUse";
  const browser = await chromium.launch({
    executablePath: requireChromium("the comparison with Chromium's LanguageModel"),
    args: [...CHROMIUM_FLAGS.filter((flag) => !flag.startsWith("--enable-features")), features],
  });
  try {
    const page = await browser.newPage();
    await page.goto(server.origin);
    const members = await page.evaluate<string[]>(
      `[...Object.keys(LanguageModel), ...Object.keys(LanguageModel.prototype)]`,
    );
    const outcomes = await page.evaluate<string[]>(
      `(${outcomesOf.toString()})(LanguageModel, ${JSON.stringify(OPTIONS)})`,
    );
    return { version: browser.version(), members, outcomes };
  } finally {
    await browser.close();
    server.close();
  }
}

const name = "Prompt API";
const counterpart = {
  name,
  version: `draft of @webref/idl ${DRAFT_VERSION}, Chromium`,
  async run(): Promise<{
    passed: number;
    failed: string[];
    deviations: { case: string; reason: string }[];
  }> {
    const failed: string[] = [];
    const deviations: { case: string; reason: string }[] = [];
    let passed = 0;
    const check = (label: string, ours: unknown, theirs: unknown): void => {
      if (JSON.stringify(ours) === JSON.stringify(theirs)) passed++;
      else failed.push(`${label}: ours ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`);
    };
    const model = emptyModel();
    check("the draft's interface", interfaceDifferences(model), []);
    const read = [
      ["LanguageModelCreateOptions", (given: never) => model.create(given)],
      ["LanguageModelCreateCoreOptions", (given: never) => model.availability(given)],
    ] as const;
    for (const [dictionary, call] of read) {
      check(dictionary, await readMembers(call), draftOrder(dictionary));
    }
    const chrome = await askChromium();
    counterpart.version = `draft of @webref/idl ${DRAFT_VERSION}, Chromium ${chrome.version}`;
    const own = new Set([...Object.keys(model), ...Object.keys(model.prototype)]);
    check(
      "Chromium's members",
      chrome.members.filter((member) => !own.has(member)),
      [],
    );
    const ours = await outcomesOf(model, OPTIONS);
    for (const [index, expression] of OPTIONS.entries()) {
      const reason = DEVIATIONS[expression];
      const isSame = ours[index] === chrome.outcomes[index];
      if (reason === undefined) check(expression, ours[index], chrome.outcomes[index]);
      else if (isSame) failed.push(`${expression}: a listed deviation that no longer exists`);
      else deviations.push({ case: expression, reason });
    }
    return { passed, failed, deviations };
  },
};

export default counterpart;

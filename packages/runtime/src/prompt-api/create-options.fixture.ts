/** Options of `LanguageModel.create` with which Chromium's class and ours, both without a model, are compared. */

/** JavaScript expressions, which also are the names of the cases. */
export const OPTIONS: readonly string[] = [
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

/** Expressions whose outcome differs from Chromium's, and why. */
export const CHROMIUM_DEVIATIONS: { readonly [name: string]: string } = {
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

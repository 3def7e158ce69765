/** Checks of an environment with the tokenizer of its model: grammars of the tools, and lengths in tokens. */
import type { EnvironmentCheck, TimeoutWatch } from "@waggle/agent/define";
import { DEFAULT_TURN_TOKENS } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import { mulberry32, type ToolDefinition, WaggleError } from "@waggle/protocol";
import { createGrammarCompiler } from "@waggle/text/grammar";
import { baseDemonstration } from "../pretrain/base-demonstration.ts";
import {
  byteModelText,
  type CheckedModel,
  checkedModel,
  type ModelChoice,
  type ModelText,
} from "./checked-model.ts";

const DEMONSTRATIONS = 200;

/** Yields the result of each check. */
export async function* checkWithModel(
  { spec, timeout }: TimeoutWatch,
  choice: ModelChoice,
  signal: AbortSignal,
): AsyncGenerator<EnvironmentCheck> {
  const before = timeout();
  const model = before === null ? checkedModel(spec, choice) : Promise.resolve(null);
  // What is wrong with the model is a failure of the lengths.
  const grammar = async (): Promise<Finding> =>
    checkGrammar(spec, (await model.catch(() => null)) ?? byteModelText());
  yield { check: "grammar", ...(await findingOf(grammar, signal)) };
  if (before !== null) {
    yield { check: "lengths", status: "skipped", words: `not run, because ${before}` };
    return;
  }
  const lengths = await findingOf(async () => checkLengths(spec, await model), signal);
  const after = timeout();
  // A demonstration that stopped at such a call is too short to measure.
  yield { check: "lengths", ...(after === null ? lengths : { status: "failed", words: after }) };
}

type Finding = Omit<EnvironmentCheck, "check">;

/** The result of a check. One that cannot run has failed. */
export async function findingOf(
  run: () => Promise<Finding>,
  signal: AbortSignal,
): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    const words = error instanceof Error ? error.message : String(error);
    return { status: "failed", words: words.slice(0, 500) };
  }
}

/** Whether every tool's schema has a grammar, which guides a model while it writes a call. */
async function checkGrammar(spec: EnvironmentSpec, text: ModelText): Promise<Finding> {
  const { tools } = await spec.create(spec.reference(0, "train", 0)).environment.observe();
  const compiler = createGrammarCompiler(text.files, { vocabularySize: text.vocabularySize });
  try {
    for (const { name, parameters } of tools) {
      const mistake = await mistakeIn(compiler, text, { name, parameters });
      if (mistake !== null) {
        return { status: "failed", words: `the parameters of ${name}: ${mistake}` };
      }
    }
    const words =
      tools.length === 0
        ? "there are no tools"
        : "a grammar guides the calls of every tool; what it cannot express is checked after the call";
    return { status: "passed", words };
  } finally {
    compiler.dispose();
  }
}

/** `null` if the grammar compiles. */
async function mistakeIn(
  compiler: ReturnType<typeof createGrammarCompiler>,
  { chat }: ModelText,
  { name, parameters }: Pick<ToolDefinition, "name" | "parameters">,
): Promise<string | null> {
  try {
    await compiler.compile({
      kind: "tool-calls",
      format: chat.toolCallFormat,
      tools: [{ name, parameters: { ...parameters } }],
      choice: "auto",
      parallel: true,
    });
    return null;
  } catch (error) {
    if (!WaggleError.is(error, "GRAMMAR_UNSUPPORTED")) throw error;
    return error.message.slice(0, 160);
  }
}

/** Whether demonstrations fit into the context and the turns of the model. */
async function checkLengths(spec: EnvironmentSpec, model: CheckedModel | null): Promise<Finding> {
  if (model === null || !(await hasDemonstrator(spec))) {
    return { status: "skipped", words: "there are no demonstrations to measure" };
  }
  const { contextLength, name, remedy } = model;
  const { rollout, turn } = await longestOf(spec, model);
  const turnLimit = spec.maxTurnTokens ?? DEFAULT_TURN_TOKENS;
  const reader = name === null ? "" : `, as ${name} reads them`;
  const words = `of ${DEMONSTRATIONS} demonstrations, the longest takes ${rollout} of ${contextLength} tokens, and the longest turn ${turn} of ${turnLimit}${reader}`;
  if (rollout > contextLength) {
    return { status: "failed", words: `${words}; ${remedy(256 * Math.ceil(rollout / 256))}` };
  }
  if (turn <= turnLimit) {
    const isTight = contextLength - rollout < turnLimit;
    const advice = `a longer request or one more turn would be cut; ${name === null ? "a higher contextLength leaves" : "shorter descriptions and answers of tools leave"} room`;
    return { status: "passed", words: isTight ? `${words}; ${advice}` : words };
  }
  return { status: "failed", words: `${words}; write maxTurnTokens: ${2 * turn}` };
}

async function hasDemonstrator(spec: EnvironmentSpec): Promise<boolean> {
  try {
    await spec.demonstrator(spec.reference(0, "train", 0), mulberry32(0), 0);
    return true;
  } catch (error) {
    if (WaggleError.is(error, "CAPABILITY_MISSING")) return false;
    throw error;
  }
}

/** Tokens of the longest demonstration and of the longest turn. */
async function longestOf(
  spec: EnvironmentSpec,
  { chat, contextLength, demonstrations }: CheckedModel,
): Promise<{ readonly rollout: number; readonly turn: number }> {
  const options = { ...demonstrations, contextLength: 64 * contextLength };
  let [rollout, turn] = [0, 0];
  for (let i = 0; i < DEMONSTRATIONS; i += 1) {
    const { segments } = await baseDemonstration(spec, chat, i, options);
    rollout = Math.max(
      rollout,
      segments.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0),
    );
    const sampled = segments.filter(({ kind }) => kind === "sampled");
    turn = Math.max(turn, ...sampled.map(({ tokenIds }) => tokenIds.length));
  }
  return { rollout, turn };
}

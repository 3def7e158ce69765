/** Checks of an environment with the tokenizer of a base model: grammars of the tools, and lengths in tokens. */
import type { EnvironmentCheck, TimeoutWatch } from "@waggle/agent/define";
import { DEFAULT_TURN_TOKENS } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import { type ToolDefinition, WaggleError } from "@waggle/protocol";
import { createGrammarCompiler } from "@waggle/text/grammar";
import { baseDemonstration } from "../pretrain/base-demonstration.ts";
import { ENVIRONMENT_BASE } from "../pretrain/environment-base.ts";
import { trainEnvironmentText } from "../pretrain/environment-text.ts";
import { byteText, type NanoText } from "../pretrain/nano-text.ts";

const DEMONSTRATIONS = 200;

/** Yields the result of each check. */
export async function* checkWithModel(
  { spec, timeout }: TimeoutWatch,
  signal: AbortSignal,
): AsyncGenerator<EnvironmentCheck> {
  const { contextLength = ENVIRONMENT_BASE.contextLength } = spec;
  const before = timeout();
  const text = before === null ? await textOf(spec, contextLength) : null;
  const grammar = (): Promise<Finding> => checkGrammar(spec, text ?? byteText(contextLength));
  yield { check: "grammar", ...(await findingOf(grammar, signal)) };
  if (before !== null) {
    yield { check: "lengths", status: "skipped", words: `not run, because ${before}` };
    return;
  }
  const lengths = await findingOf(() => checkLengths(spec, text, contextLength), signal);
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

/** `null` for an environment without a demonstrator. */
async function textOf(spec: EnvironmentSpec, contextLength: number): Promise<NanoText | null> {
  try {
    return await trainEnvironmentText(spec, {
      ...ENVIRONMENT_BASE,
      contextLength,
      count: DEMONSTRATIONS,
    });
  } catch {
    // Without demonstrations there is no tokenizer; the check of the demonstrator says why.
    return null;
  }
}

/** Whether every tool's schema has a grammar, which guides a model while it writes a call. */
async function checkGrammar(spec: EnvironmentSpec, text: NanoText): Promise<Finding> {
  const { tools } = await spec.create(spec.reference(0, "train", 0)).environment.observe();
  const compiler = createGrammarCompiler(
    new Map([
      ["tokenizer.json", bytesOf(text.tokenizerJson)],
      ["tokenizer_config.json", bytesOf(text.tokenizerConfig)],
    ]),
    { vocabularySize: text.tokenizer.vocabularySize },
  );
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
  { chat }: NanoText,
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

/** Whether demonstrations fit into the context and the turns of a base model. */
async function checkLengths(
  spec: EnvironmentSpec,
  text: NanoText | null,
  contextLength: number,
): Promise<Finding> {
  if (text === null) return { status: "skipped", words: "there are no demonstrations to measure" };
  const turnLimit = spec.maxTurnTokens ?? DEFAULT_TURN_TOKENS;
  let [rollout, turn] = [0, 0];
  for (let i = 0; i < DEMONSTRATIONS; i += 1) {
    const { segments } = await baseDemonstration(spec, text.chat, i, {
      ...ENVIRONMENT_BASE,
      contextLength: 64 * contextLength,
    });
    rollout = Math.max(
      rollout,
      segments.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0),
    );
    const sampled = segments.filter(({ kind }) => kind === "sampled");
    turn = Math.max(turn, ...sampled.map(({ tokenIds }) => tokenIds.length));
  }
  const words = `of ${DEMONSTRATIONS} demonstrations, the longest takes ${rollout} of ${contextLength} tokens, and the longest turn ${turn} of ${turnLimit}`;
  if (rollout > contextLength) {
    const enough = 256 * Math.ceil(rollout / 256);
    return { status: "failed", words: `${words}; write contextLength: ${enough}` };
  }
  if (turn <= turnLimit) {
    const isTight = contextLength - rollout < turnLimit;
    const advice =
      "a longer request or one more turn would be cut; a higher contextLength leaves room";
    return { status: "passed", words: isTight ? `${words}; ${advice}` : words };
  }
  return { status: "failed", words: `${words}; write maxTurnTokens: ${2 * turn}` };
}

function bytesOf(json: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(json));
}

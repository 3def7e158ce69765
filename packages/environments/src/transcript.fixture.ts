/** Runs policies without a model in an environment and writes down everything that is said and judged. */
import {
  canonicalJson,
  hashText,
  mulberry32,
  type Observation,
  type RandomSource,
  sha256,
  type TaskReference,
} from "@waggle/protocol";
import type { DemonstratedAction, EnvironmentSpec } from "./environment-spec.ts";
import { pick } from "./draw.ts";

/** Chooses the next action from what a careful demonstrator would do. */
type Actor = (careful: DemonstratedAction, random: RandomSource) => DemonstratedAction;

type Call = DemonstratedAction["calls"][number];

/** Ways in which a policy gets a call wrong. */
const MISTAKES: readonly ((call: Call, random: RandomSource) => Call)[] = [
  (call) => ({ ...call, name: "no_such_tool" }),
  (call) => ({ ...call, arguments: {} }),
  (call) => ({ ...call, arguments: { ...call.arguments, extra: true } }),
  (call, random) => changed(call, random, () => "zzz"),
  (call, random) => changed(call, random, () => ""),
  (call, random) => changed(call, random, () => "a".repeat(300)),
  (call, random) => changed(call, random, () => -1),
  (call, random) => changed(call, random, (value) => `${JSON.stringify(value)} `),
  (call, random) => changed(call, random, (value) => (typeof value === "number" ? value + 1 : 7)),
];

function changed(call: Call, random: RandomSource, change: (value: unknown) => unknown): Call {
  const names = Object.keys(call.arguments);
  if (names.length === 0) return call;
  const name = pick(random, names);
  return { ...call, arguments: { ...call.arguments, [name]: change(call.arguments[name]) } };
}

/** Mixes careful actions with repeated calls, wrong calls and answers that come too early. */
const clumsy: Actor = ({ text, calls }, random) => {
  const draw = random();
  if (draw < 0.4) return { text, calls };
  if (calls.length === 0) {
    const answers = [text, text.toUpperCase(), ` ${text} or not`, "", "What?", "Which day?"];
    return { text: pick(random, answers), calls };
  }
  if (draw < 0.5) return { text, calls: [...calls, ...calls] };
  if (draw < 0.6) return { text: "I do not know.", calls: [] };
  return { text, calls: calls.map((call) => pick(random, MISTAKES)(call, random)) };
};

/** Policies by name: the share of the demonstrator's mistakes, and what is made of its actions. */
const POLICIES: {
  readonly [name: string]: { readonly mistakes: number; readonly act: Actor };
} = {
  careful: { mistakes: 0, act: (careful) => careful },
  careless: { mistakes: 0.7, act: (careful) => careful },
  clumsy: { mistakes: 0.2, act: clumsy },
};

type Transcript = {
  readonly task: unknown;
  readonly first: unknown;
  readonly turns: readonly { readonly action: DemonstratedAction; readonly seen: Observation }[];
  readonly judgement: unknown;
};

/** One rollout of a policy, written down. */
export async function transcriptOf(
  spec: EnvironmentSpec,
  reference: TaskReference,
  policy: string,
): Promise<Transcript> {
  const { mistakes, act } = POLICIES[policy] as (typeof POLICIES)[string];
  const random = mulberry32(hashText(`${policy}/${reference.seed}`));
  const instance = spec.create(reference);
  const demonstrator = await spec.demonstrator(reference, random, mistakes);
  const first = await instance.environment.observe();
  const turns: Transcript["turns"][number][] = [];
  let seen: Observation | null = null;
  while (turns.length < spec.maxTurns && seen?.terminated !== true) {
    const action = act(demonstrator(seen), random);
    const toolCalls = action.calls.map((call, i) => ({ id: `${turns.length}-${i}`, ...call }));
    seen = await instance.environment.step(
      { text: action.text, toolCalls },
      new AbortController().signal,
    );
    turns.push({ action, seen });
  }
  const text = seen?.terminated === true ? (turns.at(-1)?.action.text ?? "") : null;
  const judgement = await instance.judge(text);
  // Golden files call the kind of a task `family`.
  const { kind: family, ...rest } = spec.task(reference);
  return rounded({ task: { ...rest, family }, first, turns, judgement }) as Transcript;
}

/** Digests of transcripts by `<level> <split> <policy>`; each covers `seeds` tasks. */
export async function transcriptDigests(
  spec: EnvironmentSpec,
  seeds: number,
): Promise<{ [key: string]: string }> {
  const digests: { [key: string]: string } = {};
  for (let level = 0; level < spec.levels; level += 1) {
    for (const split of ["train", "heldOut"] as const) {
      for (const policy of Object.keys(POLICIES)) {
        const transcripts = [];
        for (let seed = 0; seed < seeds; seed += 1) {
          const reference = spec.reference(seed * 977 * spec.levels, split, level);
          transcripts.push(await transcriptOf(spec, reference, policy));
        }
        const digest = await sha256(canonicalJson(transcripts));
        digests[`${level} ${split} ${policy}`] = digest.slice(0, 12);
      }
    }
  }
  return digests;
}

/** A plain copy without fields that are undefined, with numbers to nine digits. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) =>
      typeof one === "number" ? Number(one.toPrecision(9)) : one,
    ),
  );
}

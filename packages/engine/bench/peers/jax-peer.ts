/**
 * The same step in jax-js: `jax-peer.ts <shape>`. Forward, gradients and AdamW are one jitted function
 * built on jax-js's own `nn`. jax-js functions consume their array arguments, hence `.ref`.
 */
import { init, jit, nn, numpy as np, valueAndGrad } from "@jax-js/jax";
import type { Array as JaxArray } from "@jax-js/jax";
import { decoderParameters, initializeDecoder, ropeTables } from "@waggle/model";
import { batchOf, LEARNING_RATE, SHAPES } from "../step-shapes.ts";
import type { ShapeName } from "../step-shapes.ts";
import { servePeer } from "./peer-service.ts";

type Tree = { [name: string]: JaxArray };
type State = { parameters: Tree; first: Tree; second: Tree; step: JaxArray };

const [, , name] = process.argv;
const shape = SHAPES[name as ShapeName];
const { config, sequences: batch, length } = shape;
const { heads, keyValueHeads, headSize, rmsNormEpsilon } = config;
const names = decoderParameters(config).map((parameter) => parameter.name);
const EMBEDDING = "model.embed_tokens.weight";

await init();
const rows = batchOf(shape).map(({ tokenIds }) => tokenIds);
const flat = (pick: (ids: readonly number[]) => readonly number[]): JaxArray =>
  np.array(Int32Array.from(rows.flatMap(pick)), { dtype: np.int32 });
const inputs = flat((ids) => ids.slice(0, -1));
const targets = flat((ids) => ids.slice(1));
const tables = ropeTables(config, length);
const table = (values: Float32Array<ArrayBufferLike>): JaxArray =>
  np.array(Float32Array.from(values)).reshape([1, length, 1, headSize / 2]);
const cosines = table(tables.cosines);
const sines = table(tables.sines);

/** x / √(mean x² + epsilon) ∘ weight. */
function norm(x: JaxArray, weight: JaxArray): JaxArray {
  const mean = np.mean(np.square(x.ref), -1, { keepdims: true });
  return x.div(np.sqrt(mean.add(rmsNormEpsilon))).mul(weight);
}

/** `x [.., in] · weightᵀ`, for a weight `[out, in]`. */
const linear = (x: JaxArray, weight: JaxArray): JaxArray => np.matmul(x, weight.transpose());

function rotate(x: JaxArray): JaxArray {
  const [a, b] = np.split(x, 2, -1) as [JaxArray, JaxArray];
  return np.concatenate(
    [a.ref.mul(cosines.ref).sub(b.ref.mul(sines.ref)), b.mul(cosines.ref).add(a.mul(sines.ref))],
    -1,
  );
}

function loss(parameters: Tree): JaxArray {
  const weight = (key: string): JaxArray => (parameters[`${key}.weight`] as JaxArray).ref;
  let hidden = np.take(weight("model.embed_tokens"), inputs.ref, 0);
  for (let layer = 0; layer < config.layers; layer++) {
    const at = (part: string): JaxArray => weight(`model.layers.${layer}.${part}`);
    const normal = norm(hidden.ref, at("input_layernorm"));
    const project = (part: string, count: number): JaxArray =>
      linear(normal.ref, at(`self_attn.${part}`)).reshape([batch, length, count, headSize]);
    const query = rotate(norm(project("q_proj", heads), at("self_attn.q_norm")));
    const key = rotate(norm(project("k_proj", keyValueHeads), at("self_attn.k_norm")));
    const value = project("v_proj", keyValueHeads);
    normal.dispose();
    const mixed = nn.dotProductAttention(query, key, value, { isCausal: true });
    const joined = mixed.reshape([batch * length, heads * headSize]);
    const attended = hidden.add(linear(joined, at("self_attn.o_proj")));
    const wide = norm(attended.ref, at("post_attention_layernorm"));
    const gate = nn.silu(linear(wide.ref, at("mlp.gate_proj")));
    const activated = gate.mul(linear(wide, at("mlp.up_proj")));
    hidden = attended.add(linear(activated, at("mlp.down_proj")));
  }
  const logits = linear(norm(hidden, weight("model.norm")), weight("model.embed_tokens"));
  const logProbs = nn.logSoftmax(logits, -1);
  const taken = np.sum(logProbs.mul(nn.oneHot(targets.ref, config.vocabularySize)));
  for (const array of Object.values(parameters)) array.dispose();
  return taken.mul(-1 / (batch * length));
}

/** AdamW with the engine's defaults: betas 0.9 and 0.95, no decay. */
const train = jit((state: State): State => {
  const { parameters, first, second, step } = state;
  const [value, gradients] = valueAndGrad(loss)(refs(parameters)) as unknown as [JaxArray, Tree];
  value.dispose();
  const next: State = { parameters: {}, first: {}, second: {}, step: step.add(1) };
  for (const key of names) {
    const gradient = gradients[key] as JaxArray;
    const m = (first[key] as JaxArray).mul(0.9).add(gradient.ref.mul(0.1));
    const v = (second[key] as JaxArray).mul(0.95).add(np.square(gradient).mul(0.05));
    const correct = (moment: JaxArray, beta: number): JaxArray =>
      moment.div(np.subtract(1, np.power(beta, next.step.ref)));
    const denominator = np.sqrt(correct(v.ref, 0.95)).add(1e-8);
    const update = correct(m.ref, 0.9).div(denominator).mul(LEARNING_RATE);
    next.parameters[key] = (parameters[key] as JaxArray).sub(update);
    next.first[key] = m;
    next.second[key] = v;
  }
  return next;
});

const refs = (tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).map(([key, array]) => [key, array.ref]));

const weights = initializeDecoder(config, 1);
const treeOf = (make: (key: string) => JaxArray): Tree =>
  Object.fromEntries(names.map((key) => [key, make(key)]));
const shapeOf = (key: string): number[] => [...(weights.get(key)?.shape ?? [])];
let state: State = {
  parameters: treeOf((key) =>
    np.array(Float32Array.from(weights.get(key)?.data ?? [])).reshape(shapeOf(key)),
  ),
  first: treeOf((key) => np.zeros(shapeOf(key))),
  second: treeOf((key) => np.zeros(shapeOf(key))),
  step: np.array(0, { dtype: np.float32 }),
};

await servePeer({
  label: "jax-js 0.1.25 wasm, jit",
  gradients: async () => {
    const gradients = jit(valueAndGrad(loss))(refs(state.parameters))[1] as unknown as Tree;
    const read: Float32Array[] = [];
    for (const key of names) {
      read.push((await (gradients[key] as JaxArray).data()) as Float32Array);
    }
    return read;
  },
  step: async () => {
    state = train(state);
    await (state.parameters[EMBEDDING] as JaxArray).blockUntilReady();
  },
});

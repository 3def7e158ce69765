/** The slow twin of the graphs: a decoder in float64 loops, one sequence, no cache. Tests only. */
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { DecoderConfig } from "./decoder-config.ts";
import { ropeFrequencies } from "./rope.ts";

type Rows = number[][];

/** Logits `[T][V]` of `tokenIds`. */
export function plainLogits(config: DecoderConfig, weights: TensorMap, tokenIds: number[]): Rows {
  const { heads, keyValueHeads, headSize } = config;
  const get = (name: string): Tensor => weights.get(`${name}.weight`) as Tensor;
  const linear = (x: Rows, name: string): Rows => {
    const { shape, data } = get(name);
    const [outputs, inputs] = shape as [number, number];
    return x.map((row) =>
      Array.from({ length: outputs }, (_, o) =>
        row.reduce((sum, value, i) => sum + value * data[o * inputs + i]!, 0),
      ),
    );
  };
  const norm = (row: number[], name: string): number[] => {
    const square = row.reduce((sum, value) => sum + value * value, 0) / row.length;
    return row.map(
      (value, i) => (value / Math.sqrt(square + config.rmsNormEpsilon)) * get(name).data[i]!,
    );
  };
  const frequencies = ropeFrequencies(config);
  const rotate = (head: number[], position: number): number[] =>
    head.map((value, i) => {
      const angle = position * frequencies[i % (headSize / 2)]!;
      const other = i < headSize / 2 ? -head[i + headSize / 2]! : head[i - headSize / 2]!;
      return value * Math.cos(angle) + other * Math.sin(angle);
    });
  const toHeads = (rows: Rows, count: number, normName: string | null): number[][][] =>
    rows.map((row, position) =>
      Array.from({ length: count }, (_, h) => {
        const head = row.slice(h * headSize, (h + 1) * headSize);
        const normal = normName && config.modelType === "qwen3" ? norm(head, normName) : head;
        return normName ? rotate(normal, position) : normal;
      }),
    );
  let x: Rows = tokenIds.map((id) =>
    Array.from(get("model.embed_tokens").data.slice(id * config.width, (id + 1) * config.width)),
  );
  const add = (a: Rows, b: Rows): Rows => a.map((row, t) => row.map((v, i) => v + b[t]![i]!));
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`;
    const normal = x.map((row) => norm(row, `${prefix}.input_layernorm`));
    const project = (side: string): Rows => linear(normal, `${prefix}.self_attn.${side}_proj`);
    const q = toHeads(project("q"), heads, `${prefix}.self_attn.q_norm`);
    const k = toHeads(project("k"), keyValueHeads, `${prefix}.self_attn.k_norm`);
    const v = toHeads(project("v"), keyValueHeads, null);
    const attended = q.map((queries, t) =>
      queries.flatMap((query, h) => {
        const group = Math.floor((h * keyValueHeads) / heads);
        const past = k.slice(0, t + 1).map((keys) => keys[group]!);
        const scores = past.map((key) =>
          Math.exp(query.reduce((sum, a, i) => sum + a * key[i]!, 0) / Math.sqrt(headSize)),
        );
        const total = scores.reduce((sum, score) => sum + score, 0);
        return query.map((_, i) =>
          scores.reduce((sum, score, s) => sum + (score / total) * v[s]![group]![i]!, 0),
        );
      }),
    );
    x = add(x, linear(attended, `${prefix}.self_attn.o_proj`));
    const fed = x.map((row) => norm(row, `${prefix}.post_attention_layernorm`));
    const up = linear(fed, `${prefix}.mlp.up_proj`);
    const gated = linear(fed, `${prefix}.mlp.gate_proj`).map((row, t) =>
      row.map((value, i) => (value / (1 + Math.exp(-value))) * up[t]![i]!),
    );
    x = add(x, linear(gated, `${prefix}.mlp.down_proj`));
  }
  const head = config.tiedEmbeddings ? "model.embed_tokens" : "lm_head";
  return linear(
    x.map((row) => norm(row, "model.norm")),
    head,
  );
}

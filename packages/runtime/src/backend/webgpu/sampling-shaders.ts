/**
 * Sampling and scoring on the device as WGSL: from rows of logits to one token each, or to the
 * scores of known tokens. The same distribution as `sampler.ts`, in f32: sums have at most a few
 * hundred terms, as do sums of sums, so log-probs agree to about 1e-6.
 *
 * A job is one row of logits. Its vocabulary is divided into chunks, with one workgroup each: 1.
 * `all_parts`: per chunk the softmax's maximum and sums, raw and over allowed ids; 2.
 * `select_kept`: where top-k and top-p cut, by radix search over the bits of the logits; 3.
 * `kept_parts`: the sums over kept ids; 4. `finish`: the sums of all chunks, the draw, the scores;
 * 5. `collect`: the kept ids, ascending. If only the most likely id is kept, which step 1 finds,
 * and the vocabulary is a single chunk, `whole` does steps 1 and 4 in one: every dispatch counts in
 * a small model's step.
 */

import { DRAWING_SHADER } from "./drawing-shader.ts";
import { SELECTION_SHADER } from "./selection-shader.ts";

/** Threads of a workgroup, except in `select_kept`. */
const THREADS = 64;
/** Maximum chunks; `select_kept` has as many threads. */
const MOST_CHUNKS = 256;

/** 32-bit words of one job in the jobs' buffer. */
export const JOB_WORDS = 12;
/** Words of a sampled token's result: 64 bytes. */
export const SAMPLE_WORDS = 16;
/** Words of a scored token's result. */
export const SCORE_WORDS = 4;
/** Ids within a sample's result; the index of the first one follows. */
export const INLINE_IDS = 10;
export const FIRST_INLINE_ID = 6;
/** Bytes of one chunk's sums. */
export const PART_BYTES = 32;
/** Bytes of one job's cut. */
export const CUT_BYTES = 8;
/** Means "none" where a job has an offset. */
export const NONE = 0xffff_ffff;

/** How a vocabulary is divided. */
export type Chunks = { readonly size: number; readonly count: number };

export function chunksOf(vocabularySize: number): Chunks {
  const perThread = Math.max(16, Math.ceil(vocabularySize / MOST_CHUNKS / THREADS));
  const size = perThread * THREADS;
  return { size, count: Math.ceil(vocabularySize / size) };
}

/**
 * The module's source. V and its chunks are read from a buffer, so that vocabularies of up to
 * 262,144 share one source: kernels compiled for the device check with a small one also serve the
 * model.
 */
export function samplingShader(vocabularySize: number): string {
  const { size } = chunksOf(vocabularySize);
  return `
const CHUNK = ${size}u;
const THREADS = ${THREADS}u;
const PER_THREAD = ${size / THREADS}u;
const SELECT_THREADS = ${MOST_CHUNKS}u;
const NONE = 0xffffffffu;
const MINUS_INFINITY = 0xff800000u;
const LOWEST = -3.4e38;
const INLINE_IDS = ${INLINE_IDS}u;
const FIRST_INLINE_ID = ${FIRST_INLINE_ID}u;
${DECLARATIONS}
${PARTS}
${SELECTION_SHADER}
${DRAWING_SHADER}
`;
}

/**
 * Explained here, because comments in the shader would be shipped:
 * - `Part`: softmax over some ids. An empty one has sum 0 and a meaningless maximum.
 * - `Cut`: keeps logits whose key is above `key`, and those equal to it with ids up to `last_tie`.
 * - `key_of`: ascends with the logit; equal for both zeros.
 * - `is_greedy`: only the most likely id is kept, so no search is needed.
 * - `shift_a`: below -1000 the weight is 0, and its product must not become 0 times infinity.
 */
const DECLARATIONS = `
struct Job {
  row: u32,
  is_score: u32,
  temperature: f32,
  top_k: u32,
  top_p: f32,
  uniform_draw: f32,
  target_id: u32,
  mask: u32,
  list: u32,
  list_count: u32,
  result: u32,
  kept: u32,
}

struct Part {
  raw_max: f32,
  raw_sum: f32,
  max: f32,
  sum: f32,
  weighted: f32,
  count: u32,
  best: u32,
  is_bad: u32,
}

struct Cut {
  key: u32,
  last_tie: u32,
}

struct Sizes {
  vocabulary: u32,
  chunks: u32,
}

@group(0) @binding(0) var<storage, read> logits: array<u32>;
@group(0) @binding(1) var<storage, read> jobs: array<Job>;
@group(0) @binding(2) var<storage, read> sets: array<u32>;
@group(0) @binding(3) var<storage, read_write> parts: array<Part>;
@group(0) @binding(4) var<storage, read_write> cuts: array<Cut>;
@group(0) @binding(5) var<storage, read_write> results: array<u32>;
@group(0) @binding(6) var<storage, read_write> kept_ids: array<u32>;
@group(0) @binding(7) var<uniform> sizes: Sizes;

fn bits_of(job: Job, id: u32) -> u32 {
  return logits[job.row * sizes.vocabulary + id];
}

fn key_of(bits: u32) -> u32 {
  if (bits == 0x80000000u) { return bits; }
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

fn logit_of_key(key: u32) -> f32 {
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) == 1u));
}

fn is_allowed(job: Job, id: u32, bits: u32) -> bool {
  if (bits == MINUS_INFINITY) { return false; }
  return job.mask == NONE || ((sets[job.mask + (id >> 5u)] >> (id & 31u)) & 1u) == 1u;
}

fn is_greedy(job: Job) -> bool {
  return job.list == NONE && job.top_k == 1u;
}

fn is_cut(job: Job) -> bool {
  return job.list == NONE && (job.top_k > 1u || (job.top_k == 0u && job.top_p < 1.0));
}

fn is_kept(job: Job, cut: Cut, id: u32, bits: u32) -> bool {
  if (!is_allowed(job, id, bits)) { return false; }
  let key = key_of(bits);
  return key > cut.key || (key == cut.key && id <= cut.last_tie);
}

fn cut_of(job: Job, index: u32) -> Cut {
  if (is_cut(job)) { return cuts[index]; }
  return Cut(0u, 0u);
}

fn empty_part() -> Part {
  return Part(LOWEST, 0.0, LOWEST, 0.0, 0.0, 0u, NONE, 0u);
}

fn merge(a: Part, b: Part, temperature: f32) -> Part {
  var merged = a;
  merged.is_bad = a.is_bad | b.is_bad;
  merged.count = a.count + b.count;
  if (b.raw_sum != 0.0) {
    let top = max(a.raw_max, b.raw_max);
    merged.raw_max = top;
    merged.raw_sum = a.raw_sum * exp(a.raw_max - top) + b.raw_sum * exp(b.raw_max - top);
    if (a.raw_sum == 0.0) {
      merged.raw_max = b.raw_max;
      merged.raw_sum = b.raw_sum;
    }
  }
  if (a.sum == 0.0) {
    merged.max = b.max;
    merged.sum = b.sum;
    merged.weighted = b.weighted;
    merged.best = b.best;
  } else if (b.sum != 0.0) {
    let top = max(a.max, b.max);
    let shift_a = max((a.max - top) / temperature, -1000.0);
    let shift_b = max((b.max - top) / temperature, -1000.0);
    let weight_a = exp(shift_a);
    let weight_b = exp(shift_b);
    merged.max = top;
    merged.sum = a.sum * weight_a + b.sum * weight_b;
    merged.weighted = weight_a * (a.weighted + a.sum * shift_a)
      + weight_b * (b.weighted + b.sum * shift_b);
    if (b.max > a.max || (b.max == a.max && b.best < a.best)) { merged.best = b.best; }
  }
  return merged;
}
`;

/**
 * Explained here, because comments in the shader would be shipped:
 * - `merge_threads`: merges the threads' parts; thread 0 has the result.
 */
const PARTS = `
var<workgroup> thread_parts: array<Part, THREADS>;

fn merge_threads(own: Part, thread: u32, temperature: f32) -> Part {
  thread_parts[thread] = own;
  workgroupBarrier();
  var merged = own;
  if (thread == 0u) {
    for (var other = 1u; other < THREADS; other++) {
      merged = merge(merged, thread_parts[other], temperature);
    }
  }
  return merged;
}

@compute @workgroup_size(THREADS)
fn all_parts(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  write_part(jobs[group.y], group.y, group.x, local.x);
}

fn write_part(job: Job, index: u32, chunk: u32, thread: u32) {
  let end = min(sizes.vocabulary, (chunk + 1u) * CHUNK);
  var part = empty_part();
  for (var id = chunk * CHUNK + thread; id < end; id += THREADS) {
    let bits = bits_of(job, id);
    if ((bits & 0x7f800000u) == 0x7f800000u) {
      if (bits != MINUS_INFINITY) { part.is_bad = 1u; }
      continue;
    }
    let logit = bitcast<f32>(bits);
    part.raw_max = max(part.raw_max, logit);
    if (is_allowed(job, id, bits) && (part.best == NONE || logit > part.max)) {
      part.max = logit;
      part.best = id;
    }
  }
  let is_raw = job.mask == NONE && job.temperature == 1.0;
  for (var id = chunk * CHUNK + thread; id < end; id += THREADS) {
    let bits = bits_of(job, id);
    if ((bits & 0x7f800000u) == 0x7f800000u) { continue; }
    let logit = bitcast<f32>(bits);
    let raw_weight = exp(logit - part.raw_max);
    part.raw_sum += raw_weight;
    if (is_raw) {
      part.sum += raw_weight;
      part.weighted += raw_weight * max(logit - part.max, -1000.0);
      part.count += 1u;
    } else if (is_allowed(job, id, bits)) {
      let distance = max((logit - part.max) / job.temperature, -1000.0);
      let weight = exp(distance);
      part.sum += weight;
      part.weighted += weight * distance;
      part.count += 1u;
    }
  }
  let merged = merge_threads(part, thread, job.temperature);
  if (thread == 0u) { parts[index * sizes.chunks + chunk] = merged; }
}

@compute @workgroup_size(THREADS)
fn kept_parts(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  let job = jobs[group.y];
  let is_list = job.list != NONE;
  if (!is_list && !is_cut(job)) { return; }
  let cut = cut_of(job, group.y);
  let end = min(select(sizes.vocabulary, job.list_count, is_list), (group.x + 1u) * CHUNK);
  var part = empty_part();
  for (var index = group.x * CHUNK + local.x; index < end; index += THREADS) {
    var id = index;
    if (is_list) { id = sets[job.list + index]; }
    let bits = bits_of(job, id);
    if (bits == MINUS_INFINITY || !(is_list || is_kept(job, cut, id, bits))) { continue; }
    let logit = bitcast<f32>(bits);
    if (part.best == NONE || logit > part.max) {
      part.max = logit;
      part.best = id;
    }
  }
  for (var index = group.x * CHUNK + local.x; index < end; index += THREADS) {
    var id = index;
    if (is_list) { id = sets[job.list + index]; }
    let bits = bits_of(job, id);
    if (bits == MINUS_INFINITY || !(is_list || is_kept(job, cut, id, bits))) { continue; }
    let distance = max((bitcast<f32>(bits) - part.max) / job.temperature, -1000.0);
    let weight = exp(distance);
    part.sum += weight;
    part.weighted += weight * distance;
    part.count += 1u;
  }
  let merged = merge_threads(part, local.x, job.temperature);
  if (local.x == 0u) {
    let at = group.y * sizes.chunks + group.x;
    parts[at].max = merged.max;
    parts[at].sum = merged.sum;
    parts[at].weighted = merged.weighted;
    parts[at].count = merged.count;
    parts[at].best = merged.best;
  }
}
`;

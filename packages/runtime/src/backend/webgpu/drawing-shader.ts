/**
 * Drawing a token, its scores and the list of kept ids, as WGSL for the module of
 * `sampling-shaders.ts`.
 *
 * - `write_greedy`: writes the result if only the most likely id is kept.
 */
export const DRAWING_SHADER: string = `
var<workgroup> chunk_sums: array<f32, SELECT_THREADS>;
var<workgroup> thread_sums: array<f32, THREADS>;
var<workgroup> softmax: Part;
var<workgroup> drawn_chunk: u32;
var<workgroup> before: f32;
var<workgroup> aim: f32;

fn weight_of(job: Job, cut: Cut, id: u32) -> f32 {
  let bits = bits_of(job, id);
  if (!is_kept(job, cut, id, bits)) { return 0.0; }
  return exp(max((bitcast<f32>(bits) - softmax.max) / job.temperature, -1000.0));
}

fn write_greedy(id: u32, logit: f32, at: u32) {
  results[at] = 0u;
  results[at + 1u] = bitcast<u32>(logit - softmax.raw_max - log(softmax.raw_sum));
  results[at + 2u] = 0u;
  results[at + 3u] = select(0u, 2u, id != softmax.best);
}

fn write_numbers(job: Job, cut: Cut, id: u32, at: u32) {
  let bits = bits_of(job, id);
  let logit = bitcast<f32>(bits);
  var status = 0u;
  if (softmax.is_bad != 0u || softmax.sum == 0.0 || softmax.raw_sum == 0.0) { status = 1u; }
  else if (is_greedy(job)) {
    write_greedy(id, logit, at);
    return;
  }
  else if (job.list == NONE && !is_kept(job, cut, id, bits)) { status = 2u; }
  let log_sum = log(softmax.sum);
  results[at] = bitcast<u32>((logit - softmax.max) / job.temperature - log_sum);
  results[at + 1u] = bitcast<u32>(logit - softmax.raw_max - log(softmax.raw_sum));
  results[at + 2u] = bitcast<u32>(max(0.0, log_sum - softmax.weighted / softmax.sum));
  results[at + 3u] = status;
}

@compute @workgroup_size(THREADS)
fn finish(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  draw(jobs[group.x], group.x, local.x);
}

@compute @workgroup_size(THREADS)
fn whole(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  write_part(jobs[group.x], group.x, 0u, local.x);
  storageBarrier();
  draw(jobs[group.x], group.x, local.x);
}

fn draw(job: Job, index: u32, thread: u32) {
  let cut = cut_of(job, index);
  let first_part = index * sizes.chunks;
  var own = empty_part();
  for (var chunk = thread; chunk < sizes.chunks; chunk += THREADS) {
    own = merge(own, parts[first_part + chunk], job.temperature);
  }
  let merged = merge_threads(own, thread, job.temperature);
  if (thread == 0u) { softmax = merged; }
  workgroupBarrier();
  if (job.is_score == 1u) {
    if (thread == 0u) { write_numbers(job, cut, job.target_id, job.result); }
    return;
  }
  if (is_greedy(job)) {
    if (thread == 0u) { write_drawn(job, cut, min(softmax.best, sizes.vocabulary - 1u), 1u); }
    return;
  }
  for (var chunk = thread; chunk < sizes.chunks; chunk += THREADS) {
    let part = parts[first_part + chunk];
    chunk_sums[chunk] = 0.0;
    if (part.sum != 0.0) {
      chunk_sums[chunk] = part.sum * exp(max((part.max - softmax.max) / job.temperature, -1000.0));
    }
  }
  workgroupBarrier();
  if (thread == 0u) {
    var sum = 0.0;
    for (var chunk = 0u; chunk < sizes.chunks; chunk++) { sum += chunk_sums[chunk]; }
    aim = job.uniform_draw * sum;
    var running = 0.0;
    drawn_chunk = 0u;
    for (var chunk = 0u; chunk < sizes.chunks; chunk++) {
      if (chunk_sums[chunk] == 0.0) { continue; }
      drawn_chunk = chunk;
      before = running;
      running += chunk_sums[chunk];
      if (running > aim) { break; }
    }
  }
  workgroupBarrier();
  let start = drawn_chunk * CHUNK + thread * PER_THREAD;
  var sum = 0.0;
  for (var id = start; id < min(sizes.vocabulary, start + PER_THREAD); id++) {
    sum += weight_of(job, cut, id);
  }
  thread_sums[thread] = sum;
  workgroupBarrier();
  if (thread != 0u) { return; }
  var running = before;
  var drawn_thread = 0u;
  var at = running;
  for (var other = 0u; other < THREADS; other++) {
    if (thread_sums[other] == 0.0) { continue; }
    drawn_thread = other;
    at = running;
    running += thread_sums[other];
    if (running > aim) { break; }
  }
  let first = drawn_chunk * CHUNK + drawn_thread * PER_THREAD;
  var token = 0u;
  for (var id = first; id < min(sizes.vocabulary, first + PER_THREAD); id++) {
    let weight = weight_of(job, cut, id);
    if (weight == 0.0) { continue; }
    token = id;
    at += weight;
    if (at > aim) { break; }
  }
  write_drawn(job, cut, token, softmax.count);
}

fn write_drawn(job: Job, cut: Cut, token: u32, count: u32) {
  results[job.result] = token;
  write_numbers(job, cut, token, job.result + 1u);
  results[job.result + 5u] = count;
  if (count == 1u) { results[job.result + FIRST_INLINE_ID] = token; }
}

var<workgroup> thread_counts: array<u32, THREADS>;
var<workgroup> earlier_counts: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn collect(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  let thread = local.x;
  let job = jobs[group.y];
  if (job.is_score == 1u || is_greedy(job) || !(is_cut(job) || job.mask != NONE)) { return; }
  let cut = cut_of(job, group.y);
  let start = group.x * CHUNK + thread * PER_THREAD;
  let end = min(sizes.vocabulary, start + PER_THREAD);
  var own = 0u;
  for (var id = start; id < end; id++) {
    if (is_kept(job, cut, id, bits_of(job, id))) { own += 1u; }
  }
  thread_counts[thread] = own;
  var earlier = 0u;
  for (var chunk = thread; chunk < group.x; chunk += THREADS) {
    earlier += parts[group.y * sizes.chunks + chunk].count;
  }
  earlier_counts[thread] = earlier;
  workgroupBarrier();
  var index = 0u;
  for (var other = 0u; other < THREADS; other++) {
    index += earlier_counts[other];
    if (other < thread) { index += thread_counts[other]; }
  }
  for (var id = start; id < end; id++) {
    if (!is_kept(job, cut, id, bits_of(job, id))) { continue; }
    if (index < INLINE_IDS) { results[job.result + FIRST_INLINE_ID + index] = id; }
    if (job.kept != NONE) { kept_ids[job.kept + index] = id; }
    index += 1u;
  }
}
`;

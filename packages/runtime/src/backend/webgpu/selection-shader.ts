/**
 * Where top-k and top-p cut a row of logits, as WGSL for the module of `sampling-shaders.ts`: a
 * radix search over the bits of the logits, eight at a time, by counts and then by masses. Masses
 * are multiples of 2^-31 and 2^-45 of the total, so their sums do not depend on the order of the
 * threads.
 *
 * - `search_count`: sets `prefix` to the key of the k-th largest, `wanted` to how many equal ones
 * are kept. - `search_mass`: the same by mass: candidates are above `floor_key`, plus `ties` of
 * those equal to it. - `last_tie_of`: the id of the `ties`-th logit whose key is `key`, by
 * ascending id; NONE = all. - `ties`: a mass that rounds to zero gives no count; then all of them
 * are kept.
 */
export const SELECTION_SHADER: string = `
var<workgroup> counts: array<atomic<u32>, SELECT_THREADS>;
var<workgroup> fractions: array<atomic<u32>, SELECT_THREADS>;
var<workgroup> total: Part;
var<workgroup> prefix: u32;
var<workgroup> wanted: u32;
var<workgroup> mass: vec2u;
var<workgroup> target_mass: f32;
var<workgroup> state: u32;

const SEARCHING = 0u;
const TIES = 1u;
const ALL = 2u;

fn mass_of(logit: f32, temperature: f32) -> vec2u {
  let share = exp(max((logit - total.max) / temperature, -1000.0)) / total.sum * 2147483648.0;
  let whole = floor(share);
  return vec2u(u32(whole), u32((share - whole) * 16384.0));
}

fn add_mass(a: vec2u, b: vec2u) -> vec2u {
  let low = a.y + b.y;
  return vec2u(a.x + b.x + (low >> 14u), low & 16383u);
}

fn number_of(value: vec2u) -> f32 {
  return f32(value.x) + f32(value.y) / 16384.0;
}

fn has_prefix(key: u32, level: u32) -> bool {
  return level == 0u || (key >> (32u - 8u * level)) == (prefix >> (32u - 8u * level));
}

fn search_count(job: Job, thread: u32) {
  if (thread == 0u) {
    prefix = 0u;
    wanted = job.top_k;
  }
  for (var level = 0u; level < 4u; level++) {
    let shift = 24u - 8u * level;
    atomicStore(&counts[thread], 0u);
    workgroupBarrier();
    for (var id = thread; id < sizes.vocabulary; id += SELECT_THREADS) {
      let bits = bits_of(job, id);
      let key = key_of(bits);
      if (is_allowed(job, id, bits) && has_prefix(key, level)) {
        atomicAdd(&counts[(key >> shift) & 255u], 1u);
      }
    }
    workgroupBarrier();
    if (thread == 0u) {
      var bin = 255u;
      var here = atomicLoad(&counts[bin]);
      while (here < wanted && bin > 0u) {
        wanted -= here;
        bin -= 1u;
        here = atomicLoad(&counts[bin]);
      }
      prefix |= bin << shift;
    }
    workgroupBarrier();
  }
}

fn search_mass(job: Job, thread: u32, floor_key: u32, ties: u32) {
  if (thread == 0u) {
    prefix = 0u;
    mass = vec2u(0u);
    state = SEARCHING;
  }
  for (var level = 0u; level < 4u; level++) {
    let shift = 24u - 8u * level;
    atomicStore(&counts[thread], 0u);
    atomicStore(&fractions[thread], 0u);
    workgroupBarrier();
    for (var id = thread; id < sizes.vocabulary; id += SELECT_THREADS) {
      let bits = bits_of(job, id);
      let key = key_of(bits);
      if (key > floor_key && is_allowed(job, id, bits) && has_prefix(key, level)) {
        let own = mass_of(bitcast<f32>(bits), job.temperature);
        atomicAdd(&counts[(key >> shift) & 255u], own.x);
        atomicAdd(&fractions[(key >> shift) & 255u], own.y);
      }
    }
    workgroupBarrier();
    if (thread == 0u) {
      if (level == 0u) {
        var above = vec2u(0u);
        for (var bin = 0u; bin < 256u; bin++) { above = add_mass(above, mass_in(bin)); }
        var sum = number_of(above);
        if (ties > 0u) {
          sum += f32(ties) * number_of(mass_of(logit_of_key(floor_key), job.temperature));
        }
        target_mass = job.top_p * sum;
        if (number_of(above) < target_mass) {
          mass = above;
          state = select(ALL, TIES, ties > 0u);
        }
      }
      if (state == SEARCHING) {
        var bin = 255u;
        var next = add_mass(mass, mass_in(bin));
        while (number_of(next) < target_mass && bin > 0u) {
          mass = next;
          bin -= 1u;
          next = add_mass(mass, mass_in(bin));
        }
        prefix |= bin << shift;
      }
    }
    workgroupBarrier();
  }
}

fn mass_in(bin: u32) -> vec2u {
  let low = atomicLoad(&fractions[bin]);
  return vec2u(atomicLoad(&counts[bin]) + (low >> 14u), low & 16383u);
}

fn last_tie_of(job: Job, thread: u32, key: u32, ties: u32) -> u32 {
  let span = (sizes.vocabulary + SELECT_THREADS - 1u) / SELECT_THREADS;
  let end = min(sizes.vocabulary, (thread + 1u) * span);
  var own = 0u;
  for (var id = thread * span; id < end; id++) {
    let bits = bits_of(job, id);
    if (key_of(bits) == key && is_allowed(job, id, bits)) { own += 1u; }
  }
  workgroupBarrier();
  atomicStore(&counts[thread], own);
  workgroupBarrier();
  if (thread != 0u) { return NONE; }
  var left = ties;
  for (var other = 0u; other < SELECT_THREADS; other++) {
    let here = atomicLoad(&counts[other]);
    if (here < left) {
      left -= here;
      continue;
    }
    for (var id = other * span; id < sizes.vocabulary; id++) {
      let bits = bits_of(job, id);
      if (key_of(bits) == key && is_allowed(job, id, bits)) {
        left -= 1u;
        if (left == 0u) { return id; }
      }
    }
  }
  return NONE;
}

@compute @workgroup_size(SELECT_THREADS)
fn select_kept(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_id) local: vec3u,
) {
  let thread = local.x;
  let job = jobs[group.x];
  if (!is_cut(job)) { return; }
  if (thread == 0u) {
    var merged = parts[group.x * sizes.chunks];
    for (var chunk = 1u; chunk < sizes.chunks; chunk++) {
      merged = merge(merged, parts[group.x * sizes.chunks + chunk], job.temperature);
    }
    total = merged;
  }
  workgroupBarrier();
  var key = 0u;
  var ties = 0u;
  let count = workgroupUniformLoad(&total).count;
  if (job.top_k > 0u && job.top_k < count) {
    search_count(job, thread);
    key = workgroupUniformLoad(&prefix);
    ties = workgroupUniformLoad(&wanted);
  }
  if (job.top_p < 1.0 && count > 0u) {
    search_mass(job, thread, key, ties);
    let found = workgroupUniformLoad(&state);
    if (found != ALL) {
      let most = select(sizes.vocabulary, ties, found == TIES);
      if (found == SEARCHING) { key = workgroupUniformLoad(&prefix); }
      let each = number_of(mass_of(logit_of_key(key), job.temperature));
      let missing = (target_mass - number_of(mass)) / each;
      ties = most;
      if (each > 0.0 && missing < f32(most)) { ties = max(1u, u32(ceil(missing))); }
    }
  }
  var last = NONE;
  if (key > 0u) { last = last_tie_of(job, thread, key, ties); }
  if (thread == 0u) { cuts[group.x] = Cut(key, last); }
}
`;

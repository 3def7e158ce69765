/**
 * Steps of a session's sequences with a long common prefix, by a graph with one product for all of
 * them. Loaded with the first long fork, because most pages never fork.
 */
import { GPU_BRANCHES, hasPositions, prefixNames } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { DecoderRow, RowResult } from "../decoder-backend.ts";
import type { BranchGroup } from "./branch-group.ts";
import { BranchMember, BranchPrefix } from "./branch-prefix.ts";
import type { CacheStore, WebgpuCache } from "./cache-rows.ts";
import { encodeCommands } from "./command-tap.ts";
import type { BoundCommands } from "./command-tap.ts";
import type { SampledBatch } from "./gpu-sampler.ts";
import type { BranchForm } from "./program-port.ts";
import { MIN_SHARED_LENGTH } from "./shared-steps.ts";
import type { BranchProgram, SharedSteps, SharedStepsOptions } from "./shared-steps.ts";
import { StepAhead } from "./step-ahead.ts";
import { continuesSampling, jobsOf, NOTHING, resultsOf } from "./step-rows.ts";

export class BranchSteps implements SharedSteps {
  readonly #options: SharedStepsOptions;
  readonly #caches: CacheStore;
  readonly #prefixes = new Set<BranchPrefix>();
  #canBranch = true;

  constructor(options: SharedStepsOptions, caches: CacheStore) {
    this.#options = options;
    this.#caches = caches;
  }

  /** Runs the rows that are branches and sets their results; leaves the others alone. */
  async run(rows: readonly DecoderRow[], results: RowResult[]): Promise<void> {
    if (!this.#canBranch) return;
    const single = [...rows.keys()].filter((index) => rows[index]?.tokenIds.length === 1);
    const cacheOf = (index: number): WebgpuCache => rows[index]?.cache as WebgpuCache;
    await this.#ignoringOutOfMemory(() => this.#gather(single.map(cacheOf)));
    const byGroup = new Map<BranchGroup, number[]>();
    for (const index of single) {
      const member = memberOf(cacheOf(index));
      // The last remaining member continues in a row of its own.
      if (!member?.group || member.prefix.members.size < 2) continue;
      byGroup.set(member.group, [...(byGroup.get(member.group) ?? []), index]);
    }
    for (const [group, indices] of byGroup) {
      const answers = await this.#step(
        group,
        indices.map((index) => rows[index] as DecoderRow),
      );
      for (const [order, index] of indices.entries()) results[index] = answers[order] ?? NOTHING;
    }
  }

  dispose(): void {
    for (const prefix of this.#prefixes) prefix.free();
  }

  /**
   * Turns caches in one row, of which several step, into branches, and gives those that step a
   * place.
   */
  async #gather(caches: readonly WebgpuCache[]): Promise<void> {
    const { memory, maxRows, program } = this.#options;
    const rows = caches.map(({ block, row }) => block?.rows[row]);
    for (const [index, users] of rows.entries()) {
      const isShared = users !== undefined && rows.indexOf(users) !== index;
      // A row that became a prefix has no more users.
      if (!isShared || users.size === 0 || (caches[index]?.length ?? 0) < MIN_SHARED_LENGTH)
        continue;
      await this.#program();
      const prefix = await BranchPrefix.of([...users], {
        memory,
        states: program.graph.states,
        caches: this.#caches,
        maxRows,
        onFree: (freed) => this.#prefixes.delete(freed),
      });
      this.#prefixes.add(prefix);
    }
    const waiting = caches.flatMap((cache) => {
      const member = memberOf(cache);
      return member?.group === null ? [member] : [];
    });
    for (const prefix of new Set(waiting.map((member) => member.prefix))) {
      const coming = waiting.filter((member) => member.prefix === prefix);
      if (prefix.members.size > 1) await prefix.seat(coming, null);
    }
  }

  /** Without memory for branches, forks are copied, which may still fit. */
  async #ignoringOutOfMemory(make: () => Promise<void>): Promise<void> {
    try {
      await make();
    } catch (error) {
      if (!(error instanceof WaggleError) || error.code !== "OUT_OF_MEMORY") throw error;
      this.#canBranch = this.#prefixes.size > 0;
    }
  }

  #program(): Promise<BranchProgram> {
    const { program } = this.#options;
    program.branches ??= program.openBranches(BRANCHES).catch((error: unknown) => {
      program.branches = null;
      throw error;
    });
    return program.branches;
  }

  async #step(group: BranchGroup, rows: readonly DecoderRow[]): Promise<RowResult[]> {
    return group.prefix.hold(async () => {
      await group.fit();
      return this.#stepHeld(group, rows);
    });
  }

  async #stepHeld(group: BranchGroup, rows: readonly DecoderRow[]): Promise<RowResult[]> {
    const { inputs, sampler, memory, contextLength } = this.#options;
    const caches = rows.map((row) => row.cache as WebgpuCache);
    const slots = caches.map((cache) => group.rowOf(cache));
    const { place } = group;
    const { jobs } = jobsOf(rows, slots, place.rows);
    const isRead = inputs.ahead?.isOf(rows, place) ?? false;
    inputs.ahead = null;
    if (!isRead) {
      const tokenIds = new Int32Array(place.rows);
      for (const [order, slot] of slots.entries()) {
        tokenIds[slot] = rows[order]?.tokenIds[0] as number;
      }
      group.write(tokenIds);
    }
    const commands = isRead ? [] : await this.#execute(group);
    let batch: SampledBatch | null = null;
    const encoder = memory.device.createCommandEncoder();
    const pass = commands === null ? encoder.beginComputePass() : encodeCommands(encoder, commands);
    if (jobs.length > 0) batch = sampler.encode(pass, jobs);
    pass.end();
    group.settleFixedStates(encoder, slots);
    batch?.copy(encoder);
    memory.device.queue.submit([encoder.finish()]);
    for (const cache of caches) cache.length++;
    if (batch === null) {
      await memory.untilLost(memory.device.queue.onSubmittedWorkDone());
      return rows.map(() => NOTHING);
    }
    const isExpected = continuesSampling(inputs, contextLength, rows, caches);
    const ahead = isExpected ? this.#readAhead(group, batch, caches, slots) : null;
    const results = resultsOf(rows, await batch.read());
    ahead?.drew(results.map(({ sampled }) => sampled?.tokenId ?? -1));
    return results;
  }

  /** @returns commands to be submitted, `null` if onnxruntime has run the step. */
  async #execute(group: BranchGroup): Promise<BoundCommands | null> {
    if (group.commands !== null) return group.commands;
    const { adapter, logits } = this.#options;
    const program = await this.#program();
    const { shape, shapeId } = group;
    const placements = program.placements({
      ...group.placements(),
      ...adapter.placements,
      logits: { buffer: logits, offset: 0 },
    });
    if (!program.replays) {
      await program.run(shape, placements);
      return null;
    }
    const { recording, hasRun } = await program.record(shape, placements, shapeId);
    group.commands = recording?.bind(placements) ?? null;
    return hasRun ? null : group.commands;
  }

  /** Submits the step that reads the tokens drawn by the batch, if its commands are known. */
  #readAhead(
    group: BranchGroup,
    batch: SampledBatch,
    caches: readonly WebgpuCache[],
    slots: readonly number[],
  ): StepAhead | null {
    const { inputs, memory } = this.#options;
    const { commands, place } = group;
    if (commands === null || !group.hasRoom) return null;
    group.write(new Int32Array(place.rows));
    const encoder = memory.device.createCommandEncoder();
    batch.copyTokens(
      encoder,
      group.inputs,
      slots.map((slot) => slot * 4),
    );
    encodeCommands(encoder, commands).end();
    memory.device.queue.submit([encoder.finish()]);
    return (inputs.ahead = new StepAhead(caches, place));
  }
}

function memberOf({ branch }: WebgpuCache): BranchMember | null {
  return branch instanceof BranchMember ? branch : null;
}

/** Inputs of the branch graph besides tokens, own keys and values, and adapters. */
const BRANCHES: BranchForm = {
  form: GPU_BRANCHES,
  addPorts: (add, { states, activations }) => {
    const shared = states.filter(hasPositions);
    const { rowShape } = shared[0] as (typeof states)[number];
    const [heads, , size] = rowShape as [number, "positions", number];
    add("positions", ({ rows }) => [rows, 1]);
    add("slots", ({ rows }) => [rows, heads, 1, 3]);
    const hasWindows = states.some(({ window }) => window !== null);
    for (const bias of hasWindows ? ["bias", "sliding_bias"] : ["bias"]) {
      add(bias, ({ rows, prefix = 0, room = 0 }) => [1, rows, 1, prefix + room], { type: "f32" });
    }
    add("prefix_length", () => [1], { onHost: ({ prefix = 0 }) => prefix });
    for (const { layer, past } of shared) {
      const { key, value } = prefixNames(layer);
      const name = past.endsWith(".key") ? key : value;
      add(name, ({ prefix = 0 }) => [1, heads, prefix, size], { type: activations });
    }
  },
};

/**
 * A fast-check generator of all trajectories that the schema admits: hostile trees, token ids beyond
 * the vocabulary, empty segments, kept sets without the taken token, extreme numbers, grammars and tool
 * calls. Tests only.
 */
import type { GrammarSpec, Segment, Trajectory } from "@waggle/protocol";
import fc from "fast-check";

export type Setup = {
  readonly baseModel: string;
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Versions known to the trainer. */
  readonly versions: readonly number[];
};

const AT = "2026-01-01T00:00:00.000Z";
/** Includes names that every JavaScript object inherits. */
const NAMES = ["s0", "s1", "s2", "__proto__", "constructor", "toString", "\ud800", "é"];

const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ minLength: 1, maxLength: 12 }));
const extreme = fc.constantFrom(0, -0, -5e-324, 5e-324, -1e-300, -1e-3, -1e300, -Number.MAX_VALUE);
const logProb = fc.oneof(extreme, fc.double({ max: 1e-3, noNaN: true, noDefaultInfinity: true }));
const entropy = fc.oneof(
  fc.constantFrom(0, -1e-3, 5e-324, Number.MAX_VALUE),
  fc.double({ min: -1e-3, noNaN: true, noDefaultInfinity: true }),
);
const text = fc.oneof(name, fc.constantFrom("", "<|im_end|>", '{"name":"x"}'));
const json = fc.jsonValue({ maxDepth: 3 });

const tokenOf = ({ vocabularySize }: Setup): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 60, arbitrary: fc.nat({ max: vocabularySize - 1 }) },
    { weight: 1, arbitrary: fc.constantFrom(vocabularySize, 10_000_000) },
  );

const grammar: fc.Arbitrary<GrammarSpec> = fc.oneof(
  fc.constant<GrammarSpec>({ kind: "json" }),
  fc.record({
    kind: fc.constant("json-schema" as const),
    schema: fc.dictionary(name, json, { maxKeys: 3 }),
  }),
  fc.record({
    kind: fc.constant("regex" as const),
    pattern: fc.constantFrom("(", "a*", "[^]", "(?<=a)b", "\\p{L}+", ""),
  }),
  fc.record({
    kind: fc.constant("ebnf" as const),
    grammar: fc.constantFrom("", "root ::= root", 'root ::= "a" root | ""', "x"),
  }),
  fc.record({
    kind: fc.constant("tool-calls" as const),
    format: fc.constantFrom("hermes" as const, "llama" as const, "mistral" as const),
    tools: fc.array(fc.record({ name, parameters: fc.dictionary(name, json, { maxKeys: 2 }) }), {
      minLength: 1,
      maxLength: 2,
    }),
    choice: fc.oneof(
      fc.constantFrom("auto" as const, "required" as const),
      name.map((tool) => ({ name: tool })),
    ),
    parallel: fc.boolean(),
  }),
);

/**
 * Kept sets of `tokenIds`: ascending, usually with the taken token, as long as the segment or absent.
 */
function keptSets(
  tokenIds: readonly number[],
  token: fc.Arbitrary<number>,
): fc.Arbitrary<(number[] | null)[] | undefined> {
  const set = (taken: number): fc.Arbitrary<number[] | null> =>
    fc.oneof(
      fc.constant(null),
      fc
        .tuple(fc.uniqueArray(token, { maxLength: 4 }), fc.boolean())
        .map(([ids, hasTaken]) =>
          [...new Set(hasTaken ? [...ids, taken] : ids)].sort((a, b) => a - b),
        ),
    );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.tuple(...tokenIds.map(set)) },
  );
}

/** A segment without its id and parent. */
function segmentOf(setup: Setup): fc.Arbitrary<Segment> {
  const token = tokenOf(setup);
  const tokens = fc.array(token, { maxLength: 6 });
  const given = fc.record({
    kind: fc.constant("given" as const),
    id: fc.constant(""),
    parent: fc.constant(null),
    role: fc.constantFrom(
      "system" as const,
      "user" as const,
      "assistant" as const,
      "tool" as const,
    ),
    tokenIds: tokens,
  });
  const sampled = tokens.chain((tokenIds) =>
    fc.record(
      {
        kind: fc.constant("sampled" as const),
        id: fc.constant(""),
        parent: fc.constant(null),
        policyVersion: fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom(...setup.versions) },
          { weight: 1, arbitrary: fc.constantFrom(7, Number.MAX_SAFE_INTEGER) },
        ),
        sampling: fc.record({
          temperature: fc.oneof(
            { weight: 3, arbitrary: fc.constant(1) },
            { weight: 1, arbitrary: fc.constantFrom(5e-324, 0.5, 10) },
          ),
          topK: fc.constantFrom(0, 0, 1, 3, 1_000_000),
          topP: fc.constantFrom(1, 1, 0.9, 5e-324),
          seed: fc.constantFrom(0, 0xffff_ffff),
        }),
        grammar: fc.oneof(
          { weight: 4, arbitrary: fc.constant(null) },
          { weight: 1, arbitrary: name },
        ),
        tokenBudget: fc.constantFrom(1, 8, 200_000),
        tokenIds: fc.constant(tokenIds),
        behaviorLogProbs: fc.array(logProb, {
          minLength: tokenIds.length,
          maxLength: tokenIds.length,
        }),
        rawLogProbs: fc.array(logProb, { minLength: tokenIds.length, maxLength: tokenIds.length }),
        entropies: fc.array(entropy, { minLength: tokenIds.length, maxLength: tokenIds.length }),
        keptTokenIds: keptSets(tokenIds, token),
        stopReason: fc.constantFrom(
          "stop-token" as const,
          "max-tokens" as const,
          "context-overflow" as const,
          "aborted" as const,
        ),
      },
      {
        requiredKeys: [
          "kind",
          "id",
          "parent",
          "policyVersion",
          "sampling",
          "grammar",
          "tokenIds",
          "behaviorLogProbs",
          "rawLogProbs",
          "entropies",
          "stopReason",
        ],
      },
    ),
  );
  return fc.oneof({ weight: 2, arbitrary: given }, { weight: 3, arbitrary: sampled });
}

/** Segments as a forest: chains, stars and everything between, with unique hostile ids. */
function segmentsOf(setup: Setup): fc.Arbitrary<Segment[]> {
  const place = fc.record({
    segment: segmentOf(setup),
    name,
    parent: fc.option(fc.nat(), { freq: 8 }),
  });
  return fc.array(place, { minLength: 1, maxLength: 8 }).map((places) => {
    const ids: string[] = [];
    return places.map(({ segment, name: wanted, parent }, index) => {
      const id = ids.includes(wanted) ? `${wanted}${index}` : wanted;
      const above = parent === null || ids.length === 0 ? null : ids[parent % ids.length];
      ids.push(id);
      return { ...segment, id, parent: above ?? null };
    });
  });
}

function turnsOf(segments: readonly Segment[]): fc.Arbitrary<Trajectory["turns"]> {
  const sampled = segments.filter(({ kind }) => kind === "sampled").map(({ id }) => id);
  if (sampled.length === 0) return fc.constant([]);
  const callId = fc.constantFrom("c0", "c1", "__proto__");
  return fc.array(
    fc.record({
      segmentId: fc.constantFrom(...sampled),
      toolCalls: fc.array(
        fc.record({ id: callId, name: text, arguments: fc.dictionary(name, json, { maxKeys: 2 }) }),
        { maxLength: 2 },
      ),
      toolResults: fc.array(
        fc.oneof(
          fc.record({ callId, ok: fc.constant(true as const), value: json }),
          fc.record({
            callId,
            ok: fc.constant(false as const),
            error: fc.record({
              code: fc.constantFrom("TOOL_FAILED" as const, "UNKNOWN_TOOL" as const),
              message: text,
            }),
          }),
        ),
        { maxLength: 2 },
      ),
      parseError: fc.option(text),
    }),
    { maxLength: 3 },
  );
}

/** Trajectories that pass the schema; most name the setup's own model and versions. */
export function arbitraryTrajectory(setup: Setup): fc.Arbitrary<Trajectory> {
  return segmentsOf(setup).chain((segments) => {
    const first = segments.find((segment) => segment.kind === "sampled");
    return fc
      .record({
        schemaVersion: fc.constant(1 as const),
        id: fc.uuid(),
        task: fc.oneof(
          {
            weight: 8,
            arbitrary: fc.record({
              environment: fc.constant("shop"),
              seed: fc.constantFrom(0, 11, 0xffff_ffff),
              split: fc.constantFrom("train" as const, "heldOut" as const),
            }),
          },
          {
            weight: 1,
            arbitrary: fc.constantFrom(null, {
              environment: "__proto__",
              seed: 1,
              split: "train" as const,
            }),
          },
        ),
        assignmentId: fc.option(fc.uuid()),
        consent: fc.constant({
          version: "1",
          scopes: ["collect", "train"] as const,
          grantedAt: AT,
        }),
        client: fc.record({
          build: text,
          backend: fc.constantFrom("webgpu" as const, "wasm" as const),
          device: text,
          crossOriginIsolated: fc.boolean(),
        }),
        baseModel: fc.constant(setup.baseModel),
        policyVersion: fc.constant(first?.policyVersion ?? 0),
        segments: fc.constant(segments),
        grammars: fc.dictionary(fc.constantFrom("s0", "constructor", "toString", "é"), grammar, {
          maxKeys: 2,
        }),
        turns: turnsOf(segments),
        stopReason: fc.constantFrom(
          "completed" as const,
          "max-turns" as const,
          "parse-error" as const,
        ),
        terminated: fc.boolean(),
      })
      .map((fields) => ({ ...fields, truncated: !fields.terminated, startedAt: AT, endedAt: AT }));
  });
}

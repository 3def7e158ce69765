import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Conversation } from "@waggle/exchange";
import { readAdapter } from "@waggle/model";
import type { TrajectoryDetail } from "@waggle/protocol";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { readBaseModel } from "../model/base-model.ts";
import { createProgram } from "../commands/program.ts";
import { NANO, nanoRecords } from "./nano-records.fixture.ts";

const EDGE = "http://edge.test";

let records: TrajectoryDetail[];
beforeAll(async () => {
  ({ records } = await nanoRecords(3, 4));
});

type EdgeOptions = { readonly pageSize?: number; readonly forgotten?: ReadonlySet<string> };

/** An edge's operator API with these records, and the requests it received. */
function edgeWith(stored: readonly TrajectoryDetail[], options: EdgeOptions = {}) {
  const { pageSize = 5, forgotten = new Set() } = options;
  const asked: string[] = [];
  const answer = (json: unknown, status = 200) =>
    new Response(JSON.stringify(json), { status, headers: { "content-type": "application/json" } });
  const fetchFake: typeof fetch = async (input, init) => {
    const url = new URL(input as string);
    asked.push(url.pathname);
    if (new Headers(init?.headers).get("authorization") !== "Bearer secret") {
      return answer({ error: { code: "UNAUTHENTICATED", message: "no" } }, 401);
    }
    const digest = url.pathname.split("/")[4];
    if (digest !== undefined) {
      const found = stored.find(({ row }) => row.digest === digest);
      return found === undefined || forgotten.has(digest)
        ? answer({ error: { code: "NOT_FOUND", message: "gone" } }, 404)
        : answer(found);
    }
    const status = url.searchParams.get("status");
    const all = stored.flatMap(({ row }) => (row.status === status ? [row] : []));
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const next = from + pageSize;
    return answer({
      rows: all.slice(from, next),
      nextCursor: next < all.length ? String(next) : null,
    });
  };
  return { fetch: fetchFake, asked };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "waggle-exchange-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function run(args: readonly string[], edge = edgeWith(records)) {
  const out: string[] = [];
  const progress: string[] = [];
  const program = createProgram({
    signal: new AbortController().signal,
    writeOut: (line) => out.push(line),
    writeError: (line) => progress.push(line),
    environment: { WAGGLE_OPERATOR_CREDENTIAL: "secret" },
    fetch: edge.fetch,
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  await program.parseAsync(["node", "main.ts", ...args]);
  return { out, progress };
}

const exported = (format: string, out: string, ...more: string[]) => [
  "export",
  "--format",
  format,
  "--from",
  EDGE,
  "--out",
  out,
  "--model",
  NANO,
  ...more,
];

test("every format is exported from an edge, with counts", async () => {
  const path = await folder();
  const counts: { [format: string]: number } = {};
  for (const format of ["verl", "trl-sft", "trl-dpo", "trl-kto", "prime-rl", "adp", "waggle"]) {
    const { out } = await run(exported(format, join(path, format), "--json"));
    const summary = JSON.parse(out[0] ?? "") as { rows: number; bytes: number; records: number };
    expect(summary.records).toBe(records.length);
    expect((await readFile(join(path, format))).length).toBe(summary.bytes);
    counts[format] = summary.rows;
  }
  const successes = records.filter(({ row }) => row.success === true).length;
  expect(counts).toMatchObject({
    verl: records.length,
    "trl-sft": successes,
    "trl-kto": records.length,
    "prime-rl": records.length,
    adp: records.length,
    waggle: records.length,
  });
  expect(counts["trl-dpo"]).toBeGreaterThan(0);
  await run(exported("atif", join(path, "atif")));
  const files = await readdir(join(path, "atif"));
  expect(files.toSorted()).toEqual(records.map(({ row }) => `${row.id}.json`).toSorted());
});

/** The record with other tokens in its last sampled segment. */
function withLastTurn(record: TrajectoryDetail, tokenIds: readonly number[]): TrajectoryDetail {
  const { trajectory } = record;
  const last = trajectory.segments.findLastIndex(({ kind }) => kind === "sampled");
  const numbers = tokenIds.map(() => -1);
  const entropies = tokenIds.map(() => 0);
  const logProbs = { behaviorLogProbs: numbers, rawLogProbs: numbers, entropies };
  const segments = trajectory.segments.map((segment, i) =>
    i === last ? { ...segment, ...logProbs, tokenIds } : segment,
  );
  return { ...record, trajectory: { ...trajectory, segments } } as TrajectoryDetail;
}

test("text rows are counted by how they give the recorded tokens, and --tokens exports all", async () => {
  const { format } = await readBaseModel(NANO);
  const { tokenizer } = format.own;
  const [stop = -1] = format.stopTokenIds;
  const [a, b, c] = records as [TrajectoryDetail, TrajectoryDetail, TrajectoryDetail];
  const word = tokenizer.encode("search");
  const letters = "search".split("").flatMap((letter) => tokenizer.encode(letter));
  expect(letters).not.toEqual(word);
  const edge = edgeWith([a, withLastTurn(b, word), withLastTurn(c, [...letters, stop])]);
  const args = exported("trl-sft", join(await folder(), "x"), "--include-failures", "--force");
  const { out } = await run(args, edge);
  expect(out[0]).toContain(
    "2 rows of trl-sft from 3 trajectories; the model's template gives the recorded tokens of 1; with the text of all tokens and a template that keeps it: last-turn-cut 1; left out, because no text gives their tokens: other-segmentation 1; --tokens exports them as tokens",
  );
  const counted = JSON.parse((await run([...args, "--json"], edge)).out[0] ?? "") as object;
  expect(counted).toMatchObject({
    rows: 2,
    text: {
      asRecorded: 1,
      verbatim: { "last-turn-cut": 1 },
      withTokens: {},
      leftOut: { "other-segmentation": 1 },
    },
  });
  const tokens = JSON.parse(
    (await run([...args, "--json", "--tokens"], edge)).out[0] ?? "",
  ) as object;
  expect(tokens).toMatchObject({ rows: 3, text: null });
});

test.each(["thumbs-kto", "corrections-dpo", "evolution-strategies"])(
  "the advantages of %s, which has none, are refused, also for groups of one",
  async (recipe) => {
    const out = join(await folder(), "x.parquet");
    const args = exported("verl", out, "--recipe", recipe, "--limit", "1");
    await expect(run(args)).rejects.toThrow(`the recipe ${recipe} has no advantages to export`);
  },
);

test("an export from a waggle file is the same as from the edge, without visitors", async () => {
  const path = await folder();
  const archive = join(path, "all.jsonl");
  await run(exported("waggle", archive));
  for (const { row } of records) {
    expect(await readFile(archive, "utf8")).not.toContain(row.visitorId);
  }
  await run(exported("verl", join(path, "a.parquet")));
  await run([
    "export",
    "--format",
    "verl",
    "--from",
    archive,
    "--out",
    join(path, "b.parquet"),
    "--model",
    NANO,
  ]);
  expect(await readFile(join(path, "b.parquet"))).toEqual(await readFile(join(path, "a.parquet")));
});

test("a trajectory whose consent holds no longer at its site is left out", async () => {
  const days = (age: number) => new Date(Date.now() - age * 86_400_000).toISOString();
  const aged = records.map((record, i) => {
    const consent = { ...record.trajectory.consent, grantedAt: days(i === 0 ? 31 : 29) };
    return { ...record, consentDays: 30, trajectory: { ...record.trajectory, consent } };
  });
  const out = join(await folder(), "x.jsonl");
  const { out: lines } = await run(exported("waggle", out, "--json"), edgeWith(aged));
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    rows: records.length - 1,
    leftOut: { "consent-expired": 1 },
  });
  expect(await readFile(out, "utf8")).not.toContain(records[0]?.row.digest);
});

test("trajectories without consent, without a verdict or forgotten in the meantime are left out", async () => {
  const [a, b, c, d] = records as [TrajectoryDetail, ...TrajectoryDetail[]] & TrajectoryDetail[];
  const noConsent = {
    ...(a as TrajectoryDetail),
    trajectory: { ...a.trajectory, consent: { ...a.trajectory.consent, scopes: [] } },
  };
  const change = (record: TrajectoryDetail | undefined, row: Partial<TrajectoryDetail["row"]>) => {
    const found = record as TrajectoryDetail;
    return { ...found, row: { ...found.row, ...row } };
  };
  const edge = edgeWith(
    [
      noConsent,
      change(b, { status: "rejected", reason: "log-prob-gap" }),
      change(c, { status: "skipped", reason: "no-verifier", reward: null, success: null }),
      ...(d === undefined ? [] : [d]),
      ...records.slice(4),
    ],
    { forgotten: new Set([d?.row.digest ?? ""]) },
  );
  const out = join(await folder(), "x.parquet");
  const { out: lines } = await run(exported("verl", out, "--json"), edge);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    records: records.length - 2,
    rows: records.length - 4,
    leftOut: { "no-consent-to-train": 1, "no-reward": 1 },
  });
});

test("existing output is kept unless --force is given", async () => {
  const path = await folder();
  const out = join(path, "here");
  await writeFile(out, "mine");
  const edge = edgeWith(records);
  await expect(run(exported("adp", out), edge)).rejects.toMatchObject({ code: "CONFLICT" });
  expect(edge.asked).toEqual([]);
  expect(await readFile(out, "utf8")).toBe("mine");
  await run(exported("adp", out, "--force"));
  expect(await readFile(out, "utf8")).toContain("api_action");
  expect(await readdir(path)).toEqual(["here"]);
});

test("an empty export is an error that gives the reasons and leaves no file", async () => {
  const path = await folder();
  const failed = records.map((record) => ({ ...record, row: { ...record.row, success: false } }));
  const args = exported("trl-sft", join(path, "x"));
  await expect(run(args, edgeWith(failed))).rejects.toThrow(
    `none of ${records.length} records gave a row; because of: not-successful ${records.length}`,
  );
  expect(await readdir(path)).toEqual([]);
});

test.each([
  ["another credential", ["--credential", "wrong"], "UNAUTHENTICATED"],
  ["no credential", ["--credential", ""], "UNAUTHENTICATED"],
])("an edge needs the operator's credential: %s", async (_, more, code) => {
  const args = exported("adp", join(await folder(), "x"), ...more);
  await expect(run(args)).rejects.toMatchObject({ code });
});

test("a missing or invalid source file is reported with the line", async () => {
  const path = await folder();
  const args = (from: string) => [
    "export",
    "--format",
    "adp",
    "--from",
    from,
    "--out",
    join(path, "x"),
    "--model",
    NANO,
  ];
  await expect(run(args(join(path, "nowhere")))).rejects.toMatchObject({ code: "NOT_FOUND" });
  await writeFile(join(path, "theirs.jsonl"), '\n{"row":{}}\n');
  await expect(run(args(join(path, "theirs.jsonl")))).rejects.toThrow(
    /^line 2 is not a trajectory/,
  );
});

test("exported files can be imported as conversations, with refusals counted by reason", async () => {
  const path = await folder();
  await run(exported("trl-kto", join(path, "kto.jsonl")));
  const theirs = (await readFile(join(path, "kto.jsonl"), "utf8")) + '{"text":"Hi."}\n';
  await writeFile(join(path, "kto.jsonl"), theirs);
  const { out } = await run([
    "import",
    "--format",
    "trl",
    "--from",
    join(path, "kto.jsonl"),
    "--out",
    join(path, "conversations.jsonl"),
    "--json",
  ]);
  expect(JSON.parse(out[0] ?? "")).toMatchObject({
    lines: records.length + 1,
    conversations: records.length,
    refused: { "text-without-messages": 1 },
  });
  const lines = (await readFile(join(path, "conversations.jsonl"), "utf8")).trimEnd().split("\n");
  const labels = lines.map((line) => (JSON.parse(line) as Conversation).label);
  expect(labels).toEqual(records.map(({ row }) => row.success));
});

test("imported conversations train an adapter that other tools can open, and some are held out", async () => {
  const path = await folder();
  const rows = Array.from({ length: 24 }, (_, i) => ({
    messages: [
      { role: "user", content: `Shop ${i}, are you open?` },
      { role: "assistant", content: "Always open!" },
    ],
  }));
  const unwanted = { prompt: "Hi", completion: "Go away.", label: false };
  const lines = [...rows, unwanted].map((row) => JSON.stringify(row)).join("\n");
  await writeFile(join(path, "chats.jsonl"), lines);
  const conversations = join(path, "conversations.jsonl");
  await run([
    "import",
    "--format",
    "trl",
    "--from",
    join(path, "chats.jsonl"),
    "--out",
    conversations,
  ]);
  const { out, progress } = await run([
    "imitate",
    "--data",
    conversations,
    "--out",
    join(path, "adapter"),
    "--model",
    NANO,
    "--device",
    "cpu",
    "--threads",
    "1",
    "--epochs",
    "3",
    "--rank",
    "4",
    "--json",
  ]);
  const result = JSON.parse(out[0] ?? "") as { lossBefore: number; lossAfter: number };
  expect(result).toMatchObject({
    steps: 9,
    trained: 21,
    heldOut: 3,
    leftOut: { "not-wanted": 1 },
  });
  expect(progress).toHaveLength(9);
  expect(result.lossAfter).toBeLessThan(0.8 * result.lossBefore);
  const model = await readBaseModel(NANO);
  const bytes = await readFile(join(path, "adapter", "adapter_model.safetensors"));
  const adapter = readAdapter(bytes, { rank: 4, alpha: 8 }, model.config);
  expect([...adapter.tensors.values()].some(({ data }) => data.some((x) => x !== 0))).toBe(true);
  const config = await readFile(join(path, "adapter", "adapter_config.json"), "utf8");
  expect(JSON.parse(config)).toMatchObject({ peft_type: "LORA", r: 4, lora_alpha: 8 });
  for (const base of ["int8", "int4"]) {
    const held = await run([
      "imitate",
      "--data",
      conversations,
      "--out",
      join(path, base),
      "--model",
      NANO,
      "--device",
      "cpu",
      "--threads",
      "1",
      "--epochs",
      "1",
      "--rank",
      "4",
      "--json",
      "--base",
      base,
    ]);
    const learned = JSON.parse(held.out[0] ?? "") as typeof result;
    expect(learned.lossAfter).toBeLessThan(learned.lossBefore);
    // The difference is the rounding of the weight format.
    const gap = Math.abs(learned.lossBefore - result.lossBefore) / result.lossBefore;
    expect(gap).toBeGreaterThan(1e-6);
    expect(gap).toBeLessThan(base === "int8" ? 0.02 : 0.3);
  }
  const small = ["imitate", "--data", conversations, "--out", join(path, "small")];
  await expect(run([...small, "--model", NANO, "--memory-limit", "50"])).rejects.toMatchObject({
    code: "OUT_OF_MEMORY",
  });
  const again = ["imitate", "--data", join(path, "chats.jsonl"), "--out", join(path, "x")];
  await expect(run([...again, "--model", NANO])).rejects.toThrow(
    /^line 1 is not a conversation .*import the file/,
  );
});

/** The published Tinker SDK drives the test server: its recorded requests, and the SDK itself if it is installed. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TinkerServer } from "@waggle/testing/tinker-server";
import { expect, test } from "vitest";
import { TINY } from "../contract/train-engine.fixture.ts";
import { localEngine, MODEL, serverOf } from "./remote-engine.fixture.ts";

/** A Python that has the SDK. */
const SDK_PYTHON = process.env["WAGGLE_TINKER_PYTHON"];
const GOLDEN = join(import.meta.dirname, "tinker-sdk.golden.json");
const SEQUENCES = [
  { tokenIds: [3, 9, 28, 4, 4, 17, 0, 6] },
  { tokenIds: [11, 2, 25, 7] },
  { tokenIds: [8, 8, 21, 13, 1, 19] },
];
/** The SDK splits passes after two data, and results above 100 bytes are announced first. */
const SDK_SERVER = {
  flavor: "sdk",
  apiKey: "tml-test",
  vocabularySize: TINY.vocabularySize,
  inlineResultBytes: 100,
  clientConfig: { fwdbwd_max_chunk_len: 2, use_pyqwest_transport: false },
} as const;

const NONE: ReadonlyMap<string, string> = new Map();

type Rows = readonly (readonly number[])[];

/** What tinker-sdk.golden.py prints. */
type Recording = {
  readonly results: {
    readonly forward: Rows;
    readonly loss: number;
    readonly norm: { readonly grad_norm: number };
    readonly trained: Rows;
    readonly [name: string]: unknown;
  };
  readonly requests: readonly SdkRequest[];
};

type SdkRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  /** Bytes are base64. */
  readonly body: string | object | null;
  readonly status?: number;
  /** The future that the server started for the recorded request. */
  readonly future?: string | null;
};

test("the SDK's recorded requests, each sent twice, count once and get the results that the SDK had", async () => {
  const { requests, results } = JSON.parse(readFileSync(GOLDEN, "utf8")) as Recording;
  const { server } = await serverOf(MODEL, SDK_SERVER);
  const futures = new Map<string, string>();
  const passes: Promise<Rows>[] = [];
  for (const request of requests) {
    const response = await send(server, request, futures);
    expect([request.path, response.status]).toEqual([request.path, request.status]);
    if (typeof request.future !== "string") continue;
    const { request_id: id } = (await response.json()) as { request_id: string };
    futures.set(request.future, id);
    const repeated = await send(server, request, futures);
    expect(await repeated.json()).toMatchObject({ request_id: id });
    if (request.path.endsWith("/forward_backward")) passes.push(rowsOf(server, id));
  }
  // The SDK sends the last two data of three before the first: requests 2, 1 of a pass.
  const rows = await Promise.all(passes);
  const pass = (place: number): Rows => [
    ...(rows[2 * place + 1] ?? []),
    ...(rows[2 * place] ?? []),
  ];
  expectClose(pass(0), results.forward);
  expectClose(pass(4), results.trained);
});

test("other contents under a sequence id, unknown sessions and JSON passes are refused", async () => {
  const { server } = await serverOf(MODEL, { ...SDK_SERVER, readsJsonPasses: false });
  const status = async (path: string, body: object): Promise<number> =>
    (await send(server, { method: "POST", path: `/api/v1/${path}`, headers: {}, body }, NONE))
      .status;
  const session = { session_id: "session-1" };
  const model = { model_id: "session-1:train:0" };
  expect(await status("create_model", { ...session, model_seq_id: 0 })).toBe(404);
  expect(await status("create_session", { sdk_version: "0.25.0" })).toBe(422);
  expect(await status("create_session", { sdk_version: "0.25.0", tags: [] })).toBe(200);
  const request = { ...session, model_seq_id: 0, base_model: "tiny/decoder" };
  expect(await status("create_model", { ...request, lora_config: { rank: 3 } })).toBe(200);
  expect(await status("optim_step", { ...model, seq_id: 1, adam_params: {} })).toBe(200);
  const other = { ...model, seq_id: 1, adam_params: { learning_rate: 1 } };
  expect(await status("optim_step", other)).toBe(409);
  expect(await status("load_weights", { ...model, seq_id: 2, path: "tinker://x" })).toBe(400);
  expect(await status("forward_backward", { ...model, seq_id: 2 })).toBe(415);
  expect(await status("retrieve_future", { request_id: "unknown" })).toBe(404);
});

test.skipIf(SDK_PYTHON === undefined)(
  "the SDK trains, resumes and samples as an engine on this machine, also if calls fail",
  { timeout: 120_000 },
  async () => {
    const { server } = await serverOf(MODEL, SDK_SERVER);
    const isRecording = process.env["WAGGLE_TINKER_RECORD"] !== undefined;
    server.faults.add("retrieve_future", { kind: "pending" }, 2);
    server.faults.add("retrieve_future", { kind: "pending", queueState: "paused_capacity" });
    if (!isRecording) {
      server.faults.add("forward_backward", { kind: "drop-after" });
      server.faults.add("optim_step", { kind: "lose-answer", status: 502 });
      server.faults.add("create_model", { kind: "lose-answer", status: 502 });
      server.faults.add("asample", { kind: "refuse", status: 429 });
    }
    const script = join(import.meta.dirname, "tinker-sdk.golden.py");
    const { stdout, stderr } = await promisify(execFile)(SDK_PYTHON as string, [
      script,
      server.url,
    ]);
    if (isRecording) writeFileSync(GOLDEN, stdout);
    expect(stderr).toContain("Model creation for tiny/decoder is paused");
    const { results } = JSON.parse(stdout) as Recording;
    await expectLocal(results);
    expect(results).toMatchObject({
      models: ["tiny/decoder"],
      heartbeat: "session_heartbeat",
      info: ["session-1:train:0", "tiny/decoder", 3],
      refused: ["RequestFailedError", "user"],
      path: "tinker://session-1:train:0/weights/first",
      resumed: results.trained,
      prompt: [null, ...(results.forward[0] ?? [])],
      again: results["samples"],
      baseModel: "tiny/decoder",
      archive: `${server.url}/archives/session-1:train:0/sampler`,
    });
    const [continued, resumed] = results["next"] as [Rows, Rows];
    expect(resumed).toEqual(continued);
  },
);

/** The same passes and steps on this machine. */
async function expectLocal(results: Recording["results"]): Promise<void> {
  const engine = await localEngine();
  const batch = { sequences: SEQUENCES };
  const optimizer = { learningRate: 0.01, maxGradientNorm: 1, epsilon: 1e-8 };
  const logProbs = async (): Promise<Rows> =>
    (await engine.forward(batch)).logProb.map((row) => [...row.subarray(1)]);
  const backward = (derivatives: Rows): Promise<void> =>
    engine.backward(batch, { logProb: derivatives.map((row) => Float32Array.from([0, ...row])) });

  const before = await logProbs();
  expectClose(results.forward, before);
  await backward(before.map((row) => row.map(() => 0.5)));
  expect(results.loss).toBeCloseTo(0.5 * before.flat().reduce((a, b) => a + b, 0), 3);
  const { gradientNorm } = await engine.optimStep(optimizer);
  expect(results.norm.grad_norm).toBeCloseTo(gradientNorm, 3);
  const after = await logProbs();
  await backward(
    after.map((row, i) => row.map((value, t) => -Math.exp(value - (before[i]?.[t] ?? 0)))),
  );
  await engine.optimStep(optimizer);
  expectClose(results.trained, await logProbs());
}

/** Sends a recorded request, with the ids that this server gave. Asks again for a pending result. */
async function send(
  { url }: TinkerServer,
  { method, path, headers, body }: SdkRequest,
  futures: ReadonlyMap<string, string>,
): Promise<Response> {
  const json = JSON.stringify(body).replaceAll(/[\da-f-]{36}/g, (id) => futures.get(id) ?? id);
  for (;;) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, "x-api-key": SDK_SERVER.apiKey },
      redirect: "manual",
      ...(body === null
        ? {}
        : { body: typeof body === "string" ? Buffer.from(body, "base64") : json }),
    });
    if (response.status !== 408) return response;
    await response.body?.cancel();
  }
}

/** Log-probs of a pass, as JSON. */
async function rowsOf(server: TinkerServer, id: string): Promise<Rows> {
  const call = { method: "POST", path: "/api/v1/retrieve_future", headers: {} };
  const response = await send(server, { ...call, body: { request_id: id } }, NONE);
  const { loss_fn_outputs = [] } = (await response.json()) as {
    loss_fn_outputs?: readonly { readonly logprobs: { readonly data: readonly number[] } }[];
  };
  return loss_fn_outputs.map(({ logprobs }) => logprobs.data);
}

function expectClose(actual: Rows, expected: Rows): void {
  expect(actual.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
  const gaps = actual.flatMap((row, i) =>
    row.map((value, t) => Math.abs(value - (expected[i]?.[t] as number))),
  );
  expect(Math.max(...gaps)).toBeLessThan(1e-3);
}

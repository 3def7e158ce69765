/**
 * Against wllama (llama.cpp in WebAssembly), with the same random weights, in one page. Times are processor time, so that other
 * load on the machine hardly matters; in every row more than 1 is better for us, also where less is better.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { modelMemory, wasmLimits } from "../../src/store/model-memory.ts";
import { BENCH_CONFIGS } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { buildEnginePages } from "../engine-page.ts";
import type { EnginePages } from "../engine-page.ts";
import { interleavedPairs } from "../paired-blocks.ts";
import { pairedRow, speedRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { BenchContext, Scenario } from "../scenario.ts";
import type { WllamaSetting } from "../page/wllama-peer.ts";
import { EXACT, settingName, SETTINGS, WllamaPair } from "../wllama-pair.ts";
import type { Tuned, Workload } from "../wllama-pair.ts";
import { GGML_TYPES, makePeerFiles } from "../wllama-files.ts";
import type { PeerFormat } from "../wllama-files.ts";
import { visitEngine } from "../wllama-visits.ts";
import type { EngineVisit } from "../wllama-visits.ts";

type Size = {
  readonly model: BenchModelName;
  /** As targets name it; the middle one has 77 M parameters. */
  readonly label: string;
  /** Tokens of a timed block of decoding. */
  readonly count: number;
  readonly pairs: number;
  /** Most untimed pairs at the start. */
  readonly warmUp: number;
};

const SIZES: readonly Size[] = [
  { model: "small", label: "15M", count: 48, pairs: 15, warmUp: 20 },
  { model: "medium", label: "80M", count: 24, pairs: 9, warmUp: 8 },
  { model: "large", label: "0.6B", count: 8, pairs: 7, warmUp: 3 },
];
const VISITS = 7;
/** Prompts of the rows. */
const SHORT = 64;
const LONG = 512;

export const versusWllama: Scenario = {
  name: "versus-wllama",
  description: "decoding, prompts, memory and first tokens against wllama in one page",
  run: async function* (context) {
    const pages = await buildEnginePages(context.report);
    try {
      for (const size of context.quick ? SIZES.slice(0, 1) : SIZES) {
        yield* new SizeRows(context, pages, size).all();
      }
    } finally {
      pages.close();
    }
  },
};

/** What one combination of format and threads is measured for. */
type Case = { readonly format: PeerFormat; readonly threads: number };

class SizeRows {
  readonly #context: BenchContext;
  readonly #pages: EnginePages;
  readonly #size: Size;
  /** wllama's settings by prompt. Found with one thread and the first format: they are about keys and values only. */
  readonly #tuned = new Map<number, Tuned>();

  constructor(context: BenchContext, pages: EnginePages, size: Size) {
    this.#context = context;
    this.#pages = pages;
    this.#size = size;
  }

  async *all(): AsyncGenerator<BenchRow> {
    const { quick, report } = this.#context;
    const formats = (["int8", "int4", "f32"] as const).filter(
      (format) => (!quick || format !== "int4") && this.#fits(format),
    );
    for (const format of formats) {
      for (const threads of quick ? [1] : [1, 2]) {
        const one = { format, threads };
        if (!this.#names(one).some(this.#context.wants)) continue;
        try {
          await makePeerFiles(this.#size.model, formats, report);
          yield* this.#rowsOf(one);
        } catch (error) {
          // The other rows do not depend on it.
          report(`${this.#label("", one)} failed: ${String(error)}`);
          process.exitCode = 1;
        }
      }
    }
  }

  /** Says why if not. */
  #fits(format: PeerFormat): boolean {
    const { model, label } = this.#size;
    const limits = wasmLimits();
    const { total } = modelMemory(BENCH_CONFIGS[model], {
      dtype: format,
      contextLength: 1024,
      limits,
    });
    if (total <= limits.totalBytes) return true;
    const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
    const needs = `${gigabytes(total)} GB of the ${gigabytes(limits.totalBytes)} of ${limits.description}`;
    this.#context.report(`no rows of ${label} ${format}: it takes ${needs}`);
    return false;
  }

  async *#rowsOf(one: Case): AsyncGenerator<BenchRow> {
    const { report, quick, wants } = this.#context;
    const { model, count, pairs, warmUp } = this.#size;
    const options = { model, ...one, report };
    const pair = await WllamaPair.open(await this.#pages.open(), options);
    let agree = false;
    try {
      agree = await pair.agrees(quick ? 16 : 32);
      for (const promptLength of quick ? [SHORT] : [SHORT, LONG]) {
        for (const workload of ["decode", "prefill"] as const) {
          const name = this.#label(workload, one, promptLength);
          if (!wants(name)) continue;
          const setting = await this.#settingFor(workload, promptLength, one);
          await pair.set(setting);
          const compared = await pair.compare(
            workload,
            promptLength,
            count,
            quick ? 7 : pairs,
            warmUp,
          );
          const { backend } = pair;
          yield {
            ...speedRow({ name, peerName: this.#peer(one, setting), agree }, compared),
            backend,
          };
        }
      }
    } finally {
      await pair.close();
    }
    if (one.threads === 1) yield* this.#visits(one, agree, pair.backend);
  }

  async *#visits(one: Case, agree: boolean, backend: string): AsyncGenerator<BenchRow> {
    const { quick, report, wants } = this.#context;
    const names = {
      held: this.#label("memory", one),
      peak: this.#label("peak", one),
      cold: this.#label("first-token", one),
      stored: `${this.#label("first-token", one)}, from storage`,
    };
    if (!Object.values(names).some(wants)) return;
    const options = { model: this.#size.model, ...one, report };
    const setting = await this.#settingFor("decode", SHORT, one);
    const visit = (with_: WllamaSetting | null): Promise<EngineVisit> =>
      visitEngine(this.#pages, options, SHORT, with_);
    const ours: EngineVisit[] = [];
    const peers: EngineVisit[] = [];
    for (let pair = 0; pair < (quick ? 1 : VISITS); pair++) {
      const turns = pair % 2 === 0 ? [null, setting] : [setting, null];
      for (const turn of turns) {
        const visited = await visit(turn);
        (turn === null ? ours : peers).push(visited);
        report(`${turn === null ? "ours" : "wllama"}: ${JSON.stringify(visited)}`);
      }
    }
    for (const what of ["held", "peak", "cold", "stored"] as const) {
      const isTime = what === "cold" || what === "stored";
      const scale = isTime ? 1 : 2 ** -20;
      const [mine, theirs] = [ours, peers].map((visits) =>
        visits.map((each) => scale * each[what]),
      );
      // The ratio is the peer's over ours, because both are costs.
      const { first, second, ...paired } = interleavedPairs(theirs as number[], mine as number[]);
      const text = {
        name: names[what],
        peerName: this.#peer(one, setting),
        unit: isTime ? "ms" : "MiB",
        agree,
      };
      yield { ...pairedRow(text, { ...paired, first: second, second: first }), backend };
    }
  }

  /** wllama's fastest setting, which is tried out once for each prompt. */
  async #settingFor(workload: Workload, promptLength: number, one: Case): Promise<WllamaSetting> {
    const { quick, report } = this.#context;
    if (quick) return EXACT;
    const known = this.#tuned.get(promptLength);
    if (known !== undefined) return known[workload];
    const { model, count } = this.#size;
    const options = { model, format: one.format, threads: 1, report };
    const pair = await WllamaPair.open(await this.#pages.open(), options);
    try {
      const tuned = await pair.tune(SETTINGS, promptLength, count);
      this.#tuned.set(promptLength, tuned);
      return tuned[workload];
    } finally {
      await pair.close();
    }
  }

  #names(one: Case): string[] {
    const workloads = ["decode", "prefill"].flatMap((what) =>
      [SHORT, LONG].map((promptLength) => this.#label(what, one, promptLength)),
    );
    const visited = ["memory", "peak", "first-token"].map((what) => this.#label(what, one));
    return one.threads === 1 ? [...workloads, ...visited] : workloads;
  }

  #label(what: string, { format, threads }: Case, promptLength = SHORT): string {
    return `${what} ${this.#size.label} ${format} p${promptLength} t${threads}`;
  }

  #peer({ format }: Case, setting: WllamaSetting): string {
    return `${WLLAMA} ${GGML_TYPES[format].toUpperCase()}, ${settingName(setting)}`;
  }
}

const { version } = JSON.parse(
  readFileSync(
    join(import.meta.dirname, "../../../../node_modules/@wllama/wllama/package.json"),
    "utf8",
  ),
) as { version: string };
const WLLAMA = `wllama ${version}`;

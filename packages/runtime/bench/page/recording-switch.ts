/**
 * A backend whose sessions either record or only draw tokens, without log-probs, entropy and kept
 * sets. The difference, on the same onnxruntime session, is the cost of recording. Without
 * recording, logits are read where a run of one token left them, and the same random number draws
 * from them.
 */
import { CpuBackend } from "../../src/backend/cpu/cpu-backend.ts";
import type { CpuBackendOptions } from "../../src/backend/cpu/cpu-backend.ts";
import type { CpuDevice, CpuProgram, Operand } from "../../src/backend/cpu/cpu-device.ts";
import type {
  Awaitable,
  DecoderBackend,
  DecoderRow,
  DecoderSession,
  RowOutput,
  RowResult,
} from "../../src/backend/decoder-backend.ts";
import { SoftmaxKernel } from "../../src/softmax-kernel.ts";

export class RecordingSwitch {
  isOn = true;
  /** The logits of the last run. */
  #output: Operand | null = null;

  /** @param device - must not be shared. */
  openBackend(device: CpuDevice, options: CpuBackendOptions): DecoderBackend {
    const backend = new CpuBackend(this.#watchDevice(device), options);
    return {
      dtype: backend.dtype,
      kernels: backend.kernels,
      open: async (adapter, scale) => this.#switched(await backend.open(adapter, scale)),
      memory: () => backend.memory(),
      dispose: () => backend.dispose(),
    };
  }

  /** Prompts are always read with recording. */
  #switched(session: DecoderSession): DecoderSession {
    const { maxRunTokens, maxRunScores } = session;
    const run = (rows: readonly DecoderRow[]): Awaitable<readonly RowResult[]> => {
      const [row] = rows as [DecoderRow];
      const { output } = row;
      if (this.isOn || output.kind !== "sample" || row.tokenIds.length > 1) {
        return session.run(rows);
      }
      void session.run([{ ...row, output: { kind: "none" } }]);
      const { buffer, offset, shape } = this.#output as Operand;
      const tokenId = draw(buffer.floats(offset, shape.at(-1) as number), output);
      return [{ sampled: { tokenId, ...UNRECORDED }, scores: null }];
    };
    return {
      maxRunTokens,
      maxRunScores,
      maxRows: 1,
      createCache: () => session.createCache(),
      fork: (cache, length) => session.fork(cache, length),
      run,
      release: () => session.release(),
    };
  }

  #watchDevice(device: CpuDevice): CpuDevice {
    return {
      kernels: device.kernels,
      copiesOutputs: device.copiesOutputs,
      allocate: (sizeBytes) => device.allocate(sizeBytes),
      load: async (graph) => this.#watchProgram(await device.load(graph)),
      dispose: () => device.dispose(),
    };
  }

  #watchProgram(program: CpuProgram): CpuProgram {
    return {
      sizeBytes: program.sizeBytes,
      release: () => program.release(),
      bind: (inputs, outputs) => {
        const run = program.bind(inputs, outputs);
        const output = outputs.find(({ name }) => name === "logits") ?? null;
        return {
          execute: () => {
            this.#output = output;
            return run.execute();
          },
          release: () => run.release(),
        };
      },
    };
  }
}

const UNRECORDED = { behaviorLogProb: 0, rawLogProb: 0, entropy: 0, keptTokenIds: null };

let kernel: SoftmaxKernel | undefined;

/** The most likely token for topK 1; otherwise a draw from all tokens at the temperature. */
function draw(
  logits: Float32Array,
  { distribution, uniform }: Extract<RowOutput, { kind: "sample" }>,
): number {
  if (distribution.topK === 1) {
    let best = 0;
    for (let id = 1; id < logits.length; id++) {
      if ((logits[id] as number) > (logits[best] as number)) best = id;
    }
    return best;
  }
  kernel ??= new SoftmaxKernel();
  kernel.reserve(logits.length);
  kernel.row.set(logits);
  const target = uniform * kernel.weigh(logits.length, distribution.temperature).sum;
  let running = 0;
  let id = 0;
  while ((running += kernel.weights[id] as number) <= target) id++;
  return id;
}

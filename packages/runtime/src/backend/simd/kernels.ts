/** One WebAssembly module with all kernels, built in memory: there is no file to serve. */
import { kernelModule } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { addRows, multiplyFloats } from "./float-kernels.ts";
import { expandQuantized, multiplyQuantized } from "./quantized-kernels.ts";
import { multiplyAdd, relaxedMultiplyAdd } from "./vector-code.ts";

/** Addresses and numbers, as each kernel documents. */
type Kernel = (...numbers: number[]) => void;

/** The exports of the module. */
export type Kernels = {
  readonly memory: WebAssembly.Memory;
  /** Whether products and sums are fused, which changes the last bits of results. */
  readonly isRelaxed: boolean;
  readonly multiply4: Kernel;
  readonly multiply8: Kernel;
  readonly expand4: Kernel;
  readonly expand8: Kernel;
  readonly multiply4x2: Kernel;
  readonly multiply1x4: Kernel;
  readonly addRows: Kernel;
};

/**
 * Starts a module with its own memory.
 *
 * @param usesRelaxed - default: if the browser has relaxed vector instructions.
 * @throws WaggleError `DEVICE_UNAVAILABLE` if the browser has no vector instructions.
 */
export function startKernels(usesRelaxed?: boolean): Kernels {
  const start = performance.now();
  const isRelaxed = usesRelaxed ?? WebAssembly.validate(moduleBytes(true));
  try {
    const module = new WebAssembly.Module(moduleBytes(isRelaxed));
    const { exports } = new WebAssembly.Instance(module);
    performance.measure("waggle compile", { start });
    return { ...(exports as Omit<Kernels, "isRelaxed">), isRelaxed };
  } catch (cause) {
    throw new WaggleError(
      "DEVICE_UNAVAILABLE",
      "this browser has no WebAssembly vector instructions; use a newer one",
      { cause },
    );
  }
}

function moduleBytes(isRelaxed: boolean): Uint8Array<ArrayBuffer> {
  const add = isRelaxed ? relaxedMultiplyAdd : multiplyAdd;
  return kernelModule(
    [
      multiplyQuantized(4, add),
      multiplyQuantized(8, add),
      expandQuantized(4),
      expandQuantized(8),
      multiplyFloats(4, 2, add),
      multiplyFloats(1, 4, add),
      addRows(add),
    ],
    1,
  );
}

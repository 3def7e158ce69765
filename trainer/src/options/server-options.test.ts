/** `--device` on every command that has it. */
import { requireCuda } from "@waggle/engine";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "../commands/program.ts";

function program(): Command {
  const created = createProgram({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: {},
  });
  for (const command of [created, ...created.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
  }
  return created;
}

const withDevice = program()
  .commands.filter(({ options }) => options.some(({ long }) => long === "--device"))
  .map((command) => command.name());

/** What this machine lacks for CUDA, in words; where it lacks nothing, the model is what is missing. */
const REFUSAL = ((): string | null => {
  try {
    requireCuda();
    return null;
  } catch (error) {
    return String(error);
  }
})();

test("every command that trains takes a device", () => {
  expect(withDevice.toSorted()).toEqual(["evaluate", "imitate", "simulate", "train", "train-edge"]);
});

test.each(withDevice)(
  "%s refuses a device that nobody knows before it does anything",
  async (name) => {
    const parsed = program().parseAsync(["node", "main.ts", name, "--device", "gpu"]);
    await expect(parsed).rejects.toThrow(/It must be auto, cuda, webgpu, cpu/);
  },
);

// Nothing else is given: whoever read on would say that a credential, a file or a model is missing.
test.each(withDevice)(
  "%s says what --device cuda needs where it is not installed",
  async (name) => {
    const args = ["node", "main.ts", name, "--device", "cuda", "--model", "/nowhere"];
    const error: unknown = await program()
      .parseAsync(args)
      .catch((reason: unknown) => reason);
    expect(String(error) === REFUSAL).toBe(REFUSAL !== null);
  },
);

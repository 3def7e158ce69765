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

/** The error of a machine without CUDA support, or `null` if CUDA is available. */
const REFUSAL = ((): string | null => {
  try {
    requireCuda();
    return null;
  } catch (error) {
    return String(error);
  }
})();

test("every command that trains takes a device", () => {
  expect(withDevice.toSorted()).toEqual(["imitate", "simulate", "train", "train-edge"]);
});

test.each(withDevice)("%s refuses an unknown device before it does anything", async (name) => {
  const parsed = program().parseAsync(["node", "main.ts", name, "--device", "gpu"]);
  await expect(parsed).rejects.toThrow(/It must be auto, cuda, webgpu, cpu/);
});

// No other option is given: a later check would report a missing credential, file or model.
test.each(withDevice)(
  "%s reports what --device cuda needs if it is not installed",
  async (name) => {
    const args = ["node", "main.ts", name, "--device", "cuda", "--model", "/nowhere"];
    const error: unknown = await program()
      .parseAsync(args)
      .catch((reason: unknown) => reason);
    expect(String(error) === REFUSAL).toBe(REFUSAL !== null);
  },
);

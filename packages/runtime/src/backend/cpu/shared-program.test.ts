import { BRANCHES, PACKED_INPUTS, PACKED_OR_BRANCHES } from "@waggle/model";
import type { InputForm } from "@waggle/model";
import { expect, test } from "vitest";
import type { CpuProgram } from "./cpu-device.ts";
import { REMEMBERING_CONFIG, RememberingDevice } from "./remembering-device.fixture.ts";
import { SharedProgram } from "./shared-program.ts";

const BYTES = 100;
const NAMES = new Map<InputForm, string>([
  [PACKED_INPUTS, "plain"],
  [BRANCHES, "branches"],
  [PACKED_OR_BRANCHES, "both"],
]);

async function openShared(branchWeights: "twice" | "once") {
  const device = new RememberingDevice(false);
  const log: string[] = [];
  const control = { fails: false };
  const load = async (inputs: InputForm): Promise<CpuProgram> => {
    const name = NAMES.get(inputs) as string;
    await Promise.resolve();
    if (control.fails) throw new Error("no memory");
    log.push(`load ${name}`);
    return {
      sizeBytes: BYTES,
      bind: (...operands) => device.program.bind(...operands),
      release: () => void log.push(`release ${name}`),
    };
  };
  const config = REMEMBERING_CONFIG;
  const shared = await SharedProgram.open({ device, config, rank: 0, branchWeights, load });
  shared.users.add({ unbind: () => void log.push("unbind") });
  return { shared, log, control, device };
}

test("small models load a second graph beside the plain one, once for all sessions", async () => {
  const { shared, log } = await openShared("twice");
  const { program } = shared.packed;
  const [first, second] = await Promise.all([shared.branches(), shared.branches()]);
  expect(second).toBe(first);
  expect(shared.packed.program).toBe(program);
  expect(first.program).not.toBe(program);
  expect(shared.sizeBytes).toBe(2 * BYTES);
  await shared.release();
  expect(log).toEqual(["load plain", "load branches", "release plain", "release branches"]);
});

test("large models release the plain graph before loading the one that runs both ways", async () => {
  const { shared, log, device } = await openShared("once");
  expect(shared.packed.fed).toEqual([]);
  const branches = await shared.branches();
  expect(shared.packed.program).toBe(branches.program);
  expect(shared.packed.fed.map(({ name }) => name)).toContain("is_branches");
  expect(shared.sizeBytes).toBe(BYTES);
  await shared.release();
  expect(log).toEqual(["load plain", "unbind", "release plain", "load both", "release both"]);
  expect(device.heldBytes).toBe(0);
});

test("if replacing the graph fails, the device is lost until a second try succeeds", async () => {
  const { shared, control, device } = await openShared("once");
  control.fails = true;
  await expect(shared.branches()).rejects.toThrow("no memory");
  expect(() => shared.packed).toThrow(expect.objectContaining({ code: "DEVICE_LOST" }));
  expect(shared.sizeBytes).toBe(0);
  control.fails = false;
  const branches = await shared.branches();
  expect(shared.packed.program).toBe(branches.program);
  await shared.release();
  expect(device.heldBytes).toBe(0);
});

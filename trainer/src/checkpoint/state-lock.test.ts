import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { abortableSleep } from "../edge/abortable-sleep.ts";
import { lockState } from "./state-lock.ts";

const HOLDER = `
  import { lockState } from ${JSON.stringify(join(import.meta.dirname, "state-lock.ts"))};
  const options = { sleep: async () => {}, signal: new AbortController().signal, onWait: () => {} };
  await lockState(process.argv[1], options);
  console.log("locked");
  setInterval(() => {}, 1000);
`;

fault(
  "a second trainer on the same state folder is refused, and a killed one leaves no lock",
  { item: "2.2", before: "2 of 2 trainers wrote the same state" },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "waggle-lock-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const node = ["--conditions=source", "--disable-warning=ExperimentalWarning"];
    const holder = spawn(process.execPath, [...node, "--input-type=module", "-e", HOLDER, folder]);
    onTestFinished(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");

    const { signal } = new AbortController();
    const told: string[] = [];
    const options = { sleep: abortableSleep, signal, onWait: (line: string) => told.push(line) };
    await expect(lockState(folder, options)).rejects.toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining(`(process ${holder.pid})`),
    });
    const waiting = lockState(folder, { ...options, waits: true });
    while (told.length === 0) await abortableSleep(5, signal);
    const killedAt = performance.now();
    holder.kill("SIGKILL");
    const release = await waiting;
    const waitedMs = performance.now() - killedAt;
    expect(told).toHaveLength(1);
    await expect(lockState(folder, options)).rejects.toMatchObject({ code: "CONFLICT" });
    release();
    (await lockState(folder, options))();
    return {
      after: `refused in one sentence; taken over ${(waitedMs / 1000).toFixed(1)} s after the kill`,
    };
  },
);

/** `waggle publish` as a process against the real Worker. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Adapter, initializeAdapter } from "@waggle/model";
import { expect, onTestFinished, test } from "vitest";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { DEMO, DEMO_FOLDER, NANO_MODEL } from "../fixtures/demo.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../scripts/root.ts";
import { createEdgeClient } from "../../trainer/src/edge/edge-client.ts";
import { writeOutput } from "../../trainer/src/files/output.ts";
import { adapterFolderFiles } from "../../trainer/src/model/adapter-folder.ts";
import { readBaseModel } from "../../trainer/src/model/base-model.ts";

/** An adapter that destroys every answer. */
function destructive(adapter: Adapter): Adapter {
  const tensors = [...adapter.tensors].map(([name, { shape, data }]) => {
    return [name, { shape, data: data.map((_, i) => 3 * Math.sin(7.3 * i)) }] as const;
  });
  return { ...adapter, tensors: new Map(tensors) };
}

test("an adapter that passes the gate becomes stable once, and one that fails is never served", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-publish-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const installation = openInstallation(folder);
  await migrate(installation, DEMO);
  const port = await freePort();
  const edge = await startEdge(installation, {
    port,
    site: DEMO,
    variables: { GATE_MIN_TASKS: "8", GATE_PROBE_TASKS: "8" },
  });
  onTestFinished(() => edge.stop());
  const credential = installation.trainerCredential;
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = createEdgeClient({ baseUrl, credential, signal: new AbortController().signal });
  const { reference, openFile, config } = await readBaseModel(NANO_MODEL);
  for (const { path, sha256 } of reference.files) {
    const file = openFile(path);
    await client.putObject(sha256, await file.read(0, file.sizeBytes));
  }
  const { vocabularySize, contextLength } = config;
  await client.setBaseModel({ baseModel: reference, vocabularySize, contextLength });
  const unchanged = initializeAdapter(config, { rank: 2, alpha: 4, seed: 1 });
  await writeOutput(join(folder, "good"), adapterFolderFiles(unchanged, config));
  await writeOutput(join(folder, "bad"), adapterFolderFiles(destructive(unchanged), config));

  const publish = (name: string, ...more: readonly string[]) =>
    spawnSync(
      process.execPath,
      [
        join(ROOT, "packages/cli/src/main.ts"),
        "publish",
        join(folder, name),
        "--edge",
        baseUrl,
        "--env",
        DEMO_FOLDER,
        "--evaluation-tasks",
        "8",
        "--threads",
        "1",
        ...more,
      ],
      { env: { ...process.env, WAGGLE_TRAINER_CREDENTIAL: credential }, encoding: "utf8" },
    );
  const statuses = async () =>
    (await client.policies()).policies.map(({ version, status }) => `${version} ${status}`);

  const dry = publish("bad", "--dry-run");
  expect(dry).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/solved 0 of 8/) as string,
  });
  expect(await statuses()).toEqual(["0 stable"]);
  expect(publish("bad").status).toBe(1);
  expect(publish("bad").stderr).toMatch(/already has this adapter as version 1/);
  const { status, stdout } = publish("good", "--json");
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { outcome: "promoted", version: 2 }]);
  expect(publish("good").stdout).toMatch(/version 2, which is the stable version/);
  expect(await statuses()).toEqual(["2 stable", "1 rolled-back", "0 retired"]);
}, 240_000);

/** `waggle publish` as a process against the real Worker, up to the page that runs what it published. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Adapter, initializeAdapter } from "@waggle/model";
import { chromium } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { buildPage, startPage } from "../../packages/dev/src/pages/pages.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { DEMO, DEMO_FOLDER, DEMO_PAGE, NANO_MODEL } from "../fixtures/demo.ts";
import { isLong } from "../fixtures/long.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../scripts/root.ts";
import { createEdgeClient } from "../../trainer/src/edge/edge-client.ts";
import { writeOutput } from "../../trainer/src/files/output.ts";
import { adapterFolderFiles } from "../../trainer/src/model/adapter-folder.ts";
import { readBaseModel } from "../../trainer/src/model/base-model.ts";
import { ask, statusOf, untilReady } from "./shop-page.fixture.ts";

/** As PEFT's save_pretrained wrote it; see nano.py there. */
const PEFT_ADAPTER = join(ROOT, "test/golden/peft/nano");

/** An adapter that destroys every answer. */
function destructive(adapter: Adapter): Adapter {
  const tensors = [...adapter.tensors].map(([name, { shape, data }]) => {
    return [name, { shape, data: data.map((_, i) => 3 * Math.sin(7.3 * i)) }] as const;
  });
  return { ...adapter, tensors: new Map(tensors) };
}

/** An edge that serves the nano model, and what publishes adapters there. */
async function startShop() {
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
  const baseUrl = `http://localhost:${port}`;
  const client = createEdgeClient({ baseUrl, credential, signal: new AbortController().signal });
  const { reference, openFile, config } = await readBaseModel(NANO_MODEL);
  for (const { path, sha256 } of reference.files) {
    const file = openFile(path);
    await client.putObject(sha256, await file.read(0, file.sizeBytes));
  }
  const { vocabularySize, contextLength } = config;
  await client.setBaseModel({ baseModel: reference, vocabularySize, contextLength });

  const publish = (adapter: string, ...more: readonly string[]) =>
    spawnSync(
      process.execPath,
      [
        join(ROOT, "packages/cli/src/main.ts"),
        "publish",
        adapter,
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
  return { folder, baseUrl, config, publish, statuses };
}

// Each of its six commands evaluates two policies. The test below has one that fails and one that passes.
test.runIf(isLong())(
  "an adapter that passes the gate becomes stable once, and one that fails is never served",
  async () => {
    const { folder, config, publish, statuses } = await startShop();
    const [good, bad] = [join(folder, "good"), join(folder, "bad")];
    const unchanged = initializeAdapter(config, { rank: 2, alpha: 4, seed: 1 });
    await writeOutput(good, adapterFolderFiles(unchanged, config));
    await writeOutput(bad, adapterFolderFiles(destructive(unchanged), config));

    const dry = publish(bad, "--dry-run");
    expect(dry).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/solved 0 of 8/) as string,
    });
    expect(await statuses()).toEqual(["0 stable"]);
    expect(publish(bad).status).toBe(1);
    expect(publish(bad).stderr).toMatch(/already has this adapter as version 1/);
    const { status, stdout } = publish(good, "--json");
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { outcome: "promoted", version: 2 }]);
    expect(publish(good).stdout).toMatch(/version 2, which is the stable version/);
    expect(await statuses()).toEqual(["2 stable", "1 rolled-back", "0 retired"]);
  },
  240_000,
);

test("a folder that PEFT wrote passes the gate and runs in the page of a visitor, and a destructive one does not", async () => {
  const { folder, config, baseUrl, publish, statuses } = await startShop();
  const unchanged = initializeAdapter(config, { rank: 2, alpha: 4, seed: 1 });
  const bad = join(folder, "bad");
  await writeOutput(bad, adapterFolderFiles(destructive(unchanged), config));
  expect(publish(bad)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/solved 0 of 8/) as string,
  });
  const { status, stdout, stderr } = publish(PEFT_ADAPTER, "--json");
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: "promoted", version: 2 });
  expect(await statuses()).toEqual(["2 stable", "1 rolled-back", "0 retired"]);

  await buildPage(DEMO_PAGE);
  const port = await freePort();
  const site = await startPage(DEMO_PAGE, { port, edgeUrl: baseUrl, isolated: true });
  onTestFinished(() => site.stop());
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://localhost:${port}/`);
  await untilReady(page);
  const answer = await ask(page, "Add a teapot to my cart.");
  expect(answer).toMatchObject({ failure: null, policyVersion: 2 });
  expect((await statusOf(page)).errors).toEqual([]);
});

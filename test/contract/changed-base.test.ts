/** `waggle dev` after a change that needs another base model, in a state folder that has learned with the one before. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineEnvironment } from "@waggle/agent/define";
import { expect, onTestFinished, test } from "vitest";
import { type Site, siteModel } from "../../packages/dev/src/site/site.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { requireFreeState } from "../../packages/dev/src/stack/local-model.ts";
import { runStack } from "../../packages/dev/src/stack/local-stack.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { publishBase } from "@waggle/trainer";

function siteIn(project: string, steps: number): Site {
  const environment = defineEnvironment({
    name: "echo",
    prompt: "You repeat numbers.",
    tasks: ({ random }) => {
      const number = String(Math.floor(900 * random()));
      return { request: `Say ${number}.`, values: [number], state: {}, data: number };
    },
    tools: {},
    verify: ({ text, data }) => text === data,
    demonstrate: ({ data }) => [data],
  });
  const settings = { taskEnvironment: "echo" };
  return { name: "echo", project, isWholeProject: true, environment, base: { steps }, settings };
}

/** Writes as if the base model with this hash had a later version. @returns forgets the version again */
function learned(state: string, sha256: string): () => void {
  const stored = join(state, "edge", "v3", "d1", "miniflare-D1DatabaseObject");
  const file = readdirSync(stored).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? "none";
  const run = (sql: string): void => {
    const database = new DatabaseSync(join(stored, file));
    database.exec(sql);
    database.close();
  };
  run(`INSERT INTO baseModel (site, sha256, reference, vocabularySize) VALUES ('default', '${sha256}', '{}', 9);
    INSERT INTO policies (site, version, baseModel, status, step, publishedAt)
    VALUES ('default', 1, '${sha256}', 'stable', 1, '2026-11-30T00:00:00Z')`);
  return () => run("DELETE FROM policies");
}

test("a changed base is refused before it is made", async () => {
  const project = mkdtempSync(join(tmpdir(), "waggle-changed-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const state = join(project, "state");
  const { signal } = new AbortController();
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const base = await siteModel(siteIn(project, 1), say, signal);
  expect(said[0]).toMatch(/^making the base model of echo from its demonstrator, once; /);
  const edge = { baseUrl: "http://unused", credential: "" };
  const sha256 = await publishBase(base, edge, { isDryRun: true });
  const installation = openInstallation(state);
  await migrate(installation, siteIn(project, 1));
  const forget = learned(state, sha256);

  const changed = siteIn(project, 2);
  const starting = runStack({
    site: changed,
    pages: [],
    state,
    device: "cpu",
    reloads: false,
    resume: true,
    trainer: true,
    isolation: false,
    signal,
  });
  await expect(starting).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringMatching(
      /^tasks, tools or base settings of echo have changed, .*state has trajectories or later versions of the one before\. Run with another --state folder, or delete this one .*, or undo the change$/,
    ),
  });
  // Nothing was made, and the base that the state belongs to is still there.
  expect(existsSync(`${base}.unfinished`)).toBe(false);
  expect(await publishBase(base, edge, { isDryRun: true })).toBe(sha256);

  // A state that learned nothing takes the new base.
  said.length = 0;
  const remake = (): Promise<string> =>
    siteModel(changed, say, signal, (replaced) =>
      requireFreeState(installation, changed, replaced, () => say("looking …")),
    );
  forget();
  expect(await remake()).toBe(base);
  expect(await publishBase(base, edge, { isDryRun: true })).not.toBe(sha256);
  // Each step that takes long is announced before it.
  expect(said.slice(0, 3)).toEqual([
    "checking that the base model of echo fits its tasks …",
    "looking …",
    "its tasks, tools or settings have changed; making it again takes some minutes …",
  ]);
  expect(said[3]).toMatch(/^base of echo, made once {2}/);
}, 120_000);

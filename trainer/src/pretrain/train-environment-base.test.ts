import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineEnvironment } from "@waggle/agent/define";
import { expect, onTestFinished, test } from "vitest";
import { trainEnvironmentBase } from "./train-environment-base.ts";

test("a stop while the base is measured says that it is kept, and the same command only measures it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waggle-base-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const make = async (stops: boolean) => {
    const stop = new AbortController();
    const said: string[] = [];
    const out: string[] = [];
    const spec = defineEnvironment({
      name: "echo",
      prompt: "You repeat numbers.",
      tasks: ({ random }) => {
        const number = String(Math.floor(900 * random()));
        return { request: `Say ${number}.`, values: [number], state: {}, data: number };
      },
      tools: {},
      // Demonstrations are judged too, before the base is made.
      verify: ({ text, data }) => {
        if (stops && said.some((line) => line.includes("made once  1/1 "))) stop.abort();
        return text === data;
      },
      demonstrate: ({ data }) => [data],
    });
    const options = {
      spec,
      out: join(folder, "base"),
      bases: "",
      steps: 1,
      tasks: 3,
      saveEvery: 100,
      tensorboard: false,
      json: false,
    };
    const write = {
      out: (line: string) => out.push(line),
      error: (line: string) => said.push(line),
    };
    const failure = await trainEnvironmentBase(options, write, stop.signal).then(
      () => null,
      (error: unknown) => error,
    );
    return { failure, said: said.join("\n"), out: out.join("\n") };
  };
  const stopped = await make(true);
  expect(stopped.failure).toMatchObject({ name: "AbortError" });
  expect(stopped.said).toContain("base of echo, made once  1/1 ");
  expect(stopped.said).toMatch(/\nstopped; the base is kept, but not measured: run the same .*$/);
  expect(stopped.out).toBe("");
  expect(await readdir(join(folder, "base"))).toContain("model.safetensors");
  const again = await make(false);
  expect(again.failure).toBeNull();
  expect(again.said).not.toMatch(/made once|stopped/);
  expect(again.said).not.toContain("measured again");
  expect(again.out).toContain("of 3 held-out tasks of echo");
  expect((await make(false)).said).toContain("the base is there already; it is measured again");
});

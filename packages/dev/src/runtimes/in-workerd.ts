/** Runs a module in workerd, the runtime of Cloudflare's Workers. It comes with Wrangler. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { WaggleError } from "@waggle/protocol";
import { toolFile } from "../processes/installed.ts";
import { COMPATIBILITY_DATE } from "../stack/worker-project.ts";

/** The package with the program. Wrangler depends on it. */
const PROGRAM = "workerd";

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "replay.mjs", esModule = embed "replay.mjs")],
    compatibilityDate = "${COMPATIBILITY_DATE}",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** What a Worker answers to a request with this body. @throws WaggleError `NOT_FOUND` without workerd. */
export async function inWorkerd(
  code: string,
  body: string,
  project: string,
  signal: AbortSignal,
): Promise<string> {
  const program = workerdProgram(project);
  const folder = await mkdtemp(join(tmpdir(), "waggle-workerd-"));
  await writeFile(join(folder, "replay.mjs"), code);
  await writeFile(join(folder, "config.capnp"), CONFIG);
  // It reports the port of its socket to file descriptor 3.
  const workerd = spawn(program, ["serve", "--control-fd=3", join(folder, "config.capnp")], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    signal,
  });
  // An abort is an error event too; the request below fails then.
  workerd.on("error", () => {});
  const exited = once(workerd, "close").catch(() => {});
  let errors = "";
  workerd.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(0, 10_000);
  });
  try {
    const port = await portOf(workerd.stdio[3] as Readable);
    if (port !== null) {
      const url = `http://127.0.0.1:${port}/`;
      const response = await fetch(url, { method: "POST", body, signal });
      if (response.ok) return await response.text();
    } else await exited;
    throw new Error(messageIn(errors));
  } finally {
    workerd.kill("SIGKILL");
    await exited;
    await rm(folder, { recursive: true, force: true });
  }
}

/** The port on which it listens; `null` if it ends before. */
async function portOf(control: Readable): Promise<number | null> {
  for await (const line of createInterface({ input: control })) {
    const event = JSON.parse(line) as { readonly event?: string; readonly port?: number };
    if (event.event === "listen" && event.port !== undefined) return event.port;
  }
  return null;
}

/** The line that names a JavaScript error, or the first line. */
function messageIn(errors: string): string {
  const lines = errors.split("\n").map((line) => line.trim());
  const thrown = lines.flatMap((line) => /\b\w*Error: .*/.exec(line)?.[0] ?? [])[0];
  return thrown ?? (lines[0] || "workerd ended");
}

function workerdProgram(project: string): string {
  try {
    const require = createRequire(toolFile("wrangler", project));
    return (require(PROGRAM) as { readonly default: string }).default;
  } catch (error) {
    throw new WaggleError(
      "NOT_FOUND",
      "workerd is not installed; run npm install --save-dev wrangler",
      { cause: error },
    );
  }
}

/**
 * `npm start` as a process: each of its processes is killed and restarted at its port, a second start reports the first
 * one's addresses, and nothing keeps running when it is killed itself.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { untilBaseModel } from "../../packages/dev/src/stack/edge-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { ROOT } from "../../scripts/root.ts";
import { fault } from "../fixtures/fault.ts";
import { processes, untilEnded, withDescendants } from "../fixtures/processes.ts";

const folder = join(ROOT, ".waggle", "test-start");
const NODE = ["--conditions=source", "--disable-warning=ExperimentalWarning"];
const lines: string[] = [];
let start: ChildProcess;
let ports: { edge: number; demo: number; dashboard: number };

const command = (): string[] => [
  ...NODE,
  join(ROOT, "scripts/start.ts"),
  "--state",
  folder,
  "--port",
  String(ports.edge),
  "--page-port",
  String(ports.demo),
  "--dashboard-port",
  String(ports.dashboard),
  "--no-resume",
];

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function untilSaid(pattern: RegExp, from = 0): Promise<string> {
  for (let tries = 0; tries < 2400; tries += 1) {
    const line = lines.slice(from).find((said) => pattern.test(said));
    if (line !== undefined) return line;
    if (start.exitCode !== null) break;
    await sleep(100);
  }
  throw new Error(`npm start never said ${String(pattern)}:\n${lines.join("\n")}`);
}

/** The process that `npm start` started for this service. */
function idOf(service: "edge" | "demo" | "dashboard" | "trainer"): number {
  const mark = service === "trainer" ? "main.ts train" : `--port ${ports[service]}`;
  const row = processes().find(({ parent, text }) => parent === start.pid && text.includes(mark));
  if (row === undefined) throw new Error(`${service} does not run`);
  return row.id;
}

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  ports = { edge: await freePort(), demo: await freePort(), dashboard: await freePort() };
  start = spawn(process.execPath, command(), { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [start.stdout, start.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => lines.push(...text.split("\n")));
  }
  await untilSaid(/demo {8}http/);
}, 300_000);

afterAll(async () => {
  if (start?.exitCode !== null || start.signalCode !== null) return;
  const ended = new Promise((resolve) => start.once("exit", resolve));
  start.kill("SIGTERM");
  await ended;
});

fault(
  "npm start restarts each of its processes that is killed, at the same port",
  // In npm test, own-project.test.ts kills a process of waggle dev, which starts them in the same way.
  {
    isSlow: true,
    item: "1.6",
    before: "the first crash of 1 process ended all 4",
    timeoutMs: 240_000,
  },
  async () => {
    let restarts = 0;
    for (const service of ["dashboard", "demo", "edge", "trainer"] as const) {
      const from = lines.length;
      const killed = idOf(service);
      process.kill(killed, "SIGKILL");
      const said = await untilSaid(new RegExp(`${service} ended with`), from);
      expect(said).toMatch(/ended with signal SIGKILL.*; restart 1 of 5 in 1 s$/);
      await untilSaid(new RegExp(`${service} is running again`), from);
      expect(idOf(service)).not.toBe(killed);
      restarts += 1;
    }
    // It serves at the addresses that it printed before.
    await untilBaseModel(`http://127.0.0.1:${ports.edge}`, AbortSignal.timeout(30_000));
    for (const port of [ports.demo, ports.dashboard]) {
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    }
    return { after: `${restarts} of 4 killed processes came back within seconds` };
  },
);

fault(
  "a second npm start on the same state is refused with the addresses of the first",
  { item: "7.5", before: "2 edges wrote the same database", timeoutMs: 60_000 },
  async () => {
    const second = await new Promise<{ code: number | null; text: string }>((resolve) => {
      const child = execFile(process.execPath, command(), { cwd: ROOT }, (_error, out, err) =>
        resolve({ code: child.exitCode, text: `${out}${err}`.trim() }),
      );
    });
    expect(second.code).toBe(1);
    expect(second.text.split("\n")).toHaveLength(1);
    expect(second.text).toContain(`demo http://localhost:${ports.demo}/`);
    expect(second.text).toContain(`edge http://localhost:${ports.edge}`);
    return { after: "refused in 1 sentence with 3 addresses; 0 processes started" };
  },
);

fault(
  "no process of npm start survives when it is killed",
  { item: "7.5", before: "4 process groups went on and kept their ports", timeoutMs: 60_000 },
  async () => {
    const all = withDescendants(start.pid ?? 0);
    expect(all.length).toBeGreaterThan(5);
    start.kill("SIGKILL");
    const from = Date.now();
    expect(await untilEnded(all)).toEqual([]);
    const seconds = ((Date.now() - from) / 1000).toFixed(0);
    return { after: `0 of ${all.length} processes are left after ${seconds} s` };
  },
);

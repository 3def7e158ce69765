/**
 * `npm start`: the whole of Waggle on this machine. Prepares local storage, starts the edge Worker,
 * the trainer, the demo page and the dashboard, says what each is doing, ends all of it on Ctrl-C.
 */
import { resolve } from "node:path";
import { Command } from "commander";
import {
  buildSite,
  migrate,
  modelFolder,
  startEdge,
  startSite,
  startTrainer,
  stateFolder,
} from "./services.ts";
import { freePort, type ManagedProcess, openInstallation, stopAll } from "./stack.ts";

const program = new Command("npm start --")
  .description(
    "Starts the edge Worker, the trainer, the demo shop and the dashboard on this machine.",
  )
  .option(
    "--model <folder>",
    "a Hugging Face folder (qwen3, qwen2, llama or smollm3 decoder); default: the nano model",
  )
  .option(
    "--device <device>",
    "where the trainer computes: auto, cuda, webgpu, cpu or wasm",
    "auto",
  )
  .option("--recipe <name>", "the trainer's recipe")
  .option("--no-trainer", "leave the trainer out")
  .option("--no-isolation", "serve the demo without cross-origin isolation")
  .option("--verbose", "print every line of every process")
  .parse(process.argv.slice(2), { from: "user" });

type Options = {
  model?: string;
  device: string;
  recipe?: string;
  trainer: boolean;
  isolation: boolean;
  verbose?: boolean;
};
const options = program.opts<Options>();
const model = options.model === undefined ? undefined : resolve(options.model);

const color = process.stdout.isTTY ? { edge: 36, trainer: 33, demo: 35, dashboard: 34 } : null;
const say = (name: string, line: string) => {
  if (line.trim() === "") return;
  const code = color?.[name as keyof typeof color];
  console.log(
    code === undefined
      ? `${name.padEnd(9)} ${line}`
      : `\u001b[${code}m${name.padEnd(9)}\u001b[0m ${line}`,
  );
};
/** Sites and Worker speak only on request or in trouble; the trainer always. */
const listen = (name: string, line: string) => {
  if (options.verbose || name === "trainer" || /error|warn|✘/i.test(line)) say(name, line);
};

const processes: ManagedProcess[] = [];
let stopping = false;
async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  say("waggle", "stopping …");
  await stopAll();
  say("waggle", "stopped; state is kept");
  process.exit(code);
}
process.on("SIGINT", () => void stop(0));
process.on("SIGTERM", () => void stop(0));

try {
  const installation = openInstallation(stateFolder(model));
  const [edgePort, demoPort, dashboardPort] = [
    await freePort(8787),
    await freePort(5173),
    await freePort(5174),
  ];
  const edgeUrl = `http://localhost:${edgePort}`;
  say("waggle", "preparing storage and pages …");
  await Promise.all([
    migrate(installation),
    buildSite("demo", listen),
    buildSite("dashboard", listen),
  ]);
  const isolated = options.isolation;
  const started = await Promise.all([
    startEdge(installation, { port: edgePort, onLine: listen }),
    startSite("demo", { port: demoPort, edgeUrl, isolated, onLine: listen }),
    startSite("dashboard", { port: dashboardPort, edgeUrl, onLine: listen }),
  ]);
  processes.push(...started);
  if (options.trainer) {
    const args = [
      "--device",
      options.device,
      ...(options.recipe ? ["--recipe", options.recipe] : []),
    ];
    processes.push(
      startTrainer(installation, { edgeUrl, model: modelFolder(model), args, onLine: listen }),
    );
  }
  say("waggle", `demo shop   http://localhost:${demoPort}/`);
  say(
    "waggle",
    `dashboard   http://localhost:${dashboardPort}/#credential=${installation.operatorCredential}`,
  );
  say("waggle", `edge        ${edgeUrl}  (OpenAPI: ${edgeUrl}/openapi.json)`);
  say("waggle", `state       ${installation.folder}`);
  say(
    "waggle",
    "open the shop, ask for something or let simulated visitors shop; Ctrl-C ends everything",
  );
  for (const child of processes) {
    void child.exited.then((code) => {
      if (stopping) return;
      say(
        "waggle",
        `${child.name} ended by itself (exit ${code}):\n${child.tail.slice(-15).join("\n")}`,
      );
      void stop(1);
    });
  }
} catch (error) {
  say("waggle", error instanceof Error ? error.message : String(error));
  await stop(1);
}

/**
 * A generation continues in a hidden tab with the same tokens. Uses Chromium's own protocol, because Playwright keeps
 * all of its pages visible.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decoderConfigJson, initializeDecoder, writeSafetensors } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { builtPage } from "../fixtures/built-page.ts";

/** Slow enough that a turn outlasts the switch of tabs. */
const CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 512,
  width: 256,
  layers: 6,
  heads: 4,
  keyValueHeads: 2,
  headSize: 64,
  feedForwardSize: 768,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 4096,
  ropeScaling: null,
};
const TOKENS = 800;

const PAGE = `
import { createBrowserPolicy } from "@waggle/runtime";
const files = new Map();
for (const path of ["config.json", "model.safetensors"]) {
  files.set(path, new Uint8Array(await (await fetch("/model/" + path)).arrayBuffer()));
}
const policy = await createBrowserPolicy({
  modelFiles: files,
  baseModel: "0".repeat(64),
  device: "wasm",
});
globalThis.frames = 0;
const count = () => { globalThis.frames++; requestAnimationFrame(count); };
count();
globalThis.generate = async () => {
  globalThis.seen = 0;
  globalThis.sample = null;
  const session = await policy.createContext();
  session.append([1, 2, 3]);
  globalThis.sample = await session.generate({
    sampling: { temperature: 1, topK: 0, topP: 1, seed: 7 },
    stopTokenIds: [],
    maxTokens: ${TOKENS},
    onToken: () => void globalThis.seen++,
  });
  session.dispose();
};
globalThis.isReady = true;
`;

type State = { readonly visibility: string; readonly seen: number; readonly frames: number };
const STATE =
  "({ visibility: document.visibilityState, seen: globalThis.seen ?? 0, frames: globalThis.frames ?? 0 })";

/** Chromium over its own protocol. */
class Browser {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: { readonly [key: string]: unknown }) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result: object };
      if (id !== undefined) this.#waiting.get(id)?.(result as { [key: string]: unknown });
    });
  }

  static async connect(address: string): Promise<Browser> {
    const socket = new WebSocket(address);
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    return new Browser(socket);
  }

  send(
    method: string,
    params: object = {},
    sessionId?: string,
  ): Promise<{ readonly [key: string]: unknown }> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  async open(url: string): Promise<Tab> {
    const { targetId } = await this.send("Target.createTarget", { url });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    return new Tab(this, String(targetId), String(sessionId));
  }

  close(): void {
    this.#socket.close();
  }
}

class Tab {
  readonly #browser: Browser;
  readonly #targetId: string;
  readonly #sessionId: string;

  constructor(browser: Browser, targetId: string, sessionId: string) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#sessionId = sessionId;
  }

  async evaluate(expression: string): Promise<unknown> {
    const params = { expression, returnByValue: true };
    const answer = await this.#browser.send("Runtime.evaluate", params, this.#sessionId);
    return (answer["result"] as { value?: unknown }).value;
  }

  state(): Promise<State> {
    return this.evaluate(STATE) as Promise<State>;
  }

  show(): Promise<unknown> {
    return this.#browser.send("Target.activateTarget", { targetId: this.#targetId });
  }
}

let served: Map<string, Uint8Array | string>;
let server: Server;
let profile: string;
let chromium: ChildProcess;
let browser: Browser;
let url: string;

beforeAll(async () => {
  served = new Map(Array.from(await builtPage(PAGE), ([path, content]) => [`/${path}`, content]));
  served.set("/model/config.json", JSON.stringify(decoderConfigJson(CONFIG)));
  served.set("/model/model.safetensors", writeSafetensors(initializeDecoder(CONFIG, 1), {}));
  server = createServer((request, response) => {
    const path = request.url === "/" ? "/index.html" : (request.url ?? "");
    const type = path.endsWith(".html")
      ? "text/html"
      : /\.m?js$/.test(path)
        ? "text/javascript"
        : path.endsWith(".wasm")
          ? "application/wasm"
          : "application/octet-stream";
    response.setHeader("content-type", type);
    response.statusCode = served.has(path) ? 200 : 404;
    response.end(served.get(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  profile = mkdtempSync(join(tmpdir(), "waggle-hidden-"));
  const flags = ["--headless=new", `--user-data-dir=${profile}`, "--remote-debugging-port=0"];
  chromium = spawn(chromiumPath(), [...CHROMIUM_FLAGS, ...flags, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    chromium.stderr?.on("data", (part: Buffer) => {
      said += part.toString();
      const found = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    chromium.once("exit", () => reject(new Error(`Chromium must start, got: ${said}`)));
  });
  browser = await Browser.connect(address);
}, 120_000);

afterAll(async () => {
  browser?.close();
  if (chromium?.exitCode === null) {
    const ended = new Promise((resolve) => chromium.once("exit", resolve));
    chromium.kill();
    await ended;
  }
  server?.close();
  if (profile !== undefined) rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
});

test("a turn in a hidden tab runs to its end, with the same tokens as in a visible tab", async () => {
  const tab = await browser.open(url);
  const patience = { timeout: 60_000, interval: 20 };
  await expect.poll(() => tab.evaluate("globalThis.isReady"), patience).toBe(true);
  const sampleOf = async (): Promise<string> =>
    String(await tab.evaluate("JSON.stringify(sample)"));

  await tab.evaluate("void generate()");
  await expect.poll(sampleOf, patience).not.toBe("null");
  const expected = await sampleOf();
  expect((await tab.state()).visibility).toBe("visible");

  await tab.evaluate("void generate()");
  await expect.poll(async () => (await tab.state()).seen, patience).toBeGreaterThan(20);
  await browser.open("about:blank"); // hides the first tab
  await expect.poll(async () => (await tab.state()).visibility, patience).toBe("hidden");
  const before = await tab.state();
  // The switch must happen in the middle of the turn.
  expect(before.seen).toBeLessThan(TOKENS - 200);
  await expect.poll(sampleOf, patience).not.toBe("null");
  const after = await tab.state();
  expect(after).toMatchObject({ visibility: "hidden", seen: TOKENS });
  // The browser has stopped the page's animation frames, and the turn does not wait for them.
  expect(after.frames - before.frames).toBeLessThan(3);
  expect(await sampleOf()).toBe(expected);

  await tab.show();
  await expect.poll(async () => (await tab.state()).visibility, patience).toBe("visible");
}, 180_000);

/** The config.json of a model, read before anything else of it, so that a model of no use is not downloaded. */
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { type ModelSource, parseModelSource } from "@waggle/runtime";

const HUGGING_FACE = "https://huggingface.co";

/** What `waggle model` takes: a folder, or a source on a server. */
export type Source = string | ModelSource;

/** @param endpoint - a mirror of the Hub, such as `HF_ENDPOINT` names. */
export function sourceOf(text: string, endpoint: string | undefined): Source {
  if (existsSync(text) && statSync(text).isDirectory()) return text;
  const source = parseModelSource(text);
  return source.kind === "hugging-face" && endpoint !== undefined
    ? { ...source, endpoint: endpoint.replace(/\/+$/, "") }
    : source;
}

/** A short name for the folder that the model is written to. */
export function nameOf(text: string): string {
  const path = text.replace(/@.*$/, "").replace(/[/\\]+$/, "");
  return (/[^/\\]+$/.exec(path)?.[0] ?? "model").toLowerCase();
}

/** @throws WaggleError `NOT_FOUND`, `FORBIDDEN`, `NETWORK` (retryable) or `MODEL_CORRUPT`. */
export async function readConfig(source: Source, signal: AbortSignal): Promise<unknown> {
  const place = typeof source === "string" ? join(source, "config.json") : configUrl(source);
  const text = typeof source === "string" ? await readFolder(place) : await download(place, signal);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new WaggleError("MODEL_CORRUPT", `${place} is not JSON; name another model`, { cause });
  }
}

function configUrl(source: ModelSource): string {
  if (source.kind === "url") return `${source.baseUrl}/config.json`;
  if (source.kind !== "hugging-face") {
    throw new WaggleError("INVALID_ARGUMENT", "name a folder, a Hub repository or a URL");
  }
  const { repository, revision = "main", folder, endpoint = HUGGING_FACE } = source;
  const path = folder === undefined ? "" : `${folder}/`;
  return `${endpoint}/${repository}/resolve/${encodeURIComponent(revision)}/${path}config.json`;
}

function readFolder(file: string): Promise<string> {
  return readFile(file, "utf8").catch((cause: unknown) => {
    throw new WaggleError("NOT_FOUND", `there is no ${file}; name the folder of a model`, {
      cause,
    });
  });
}

async function download(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new WaggleError("NETWORK", `cannot read ${url}; check the network and try again`, {
      retryable: true,
      cause,
    });
  });
  if (response.ok) return response.text();
  const { status } = response;
  if (status === 401 || status === 403) {
    throw new WaggleError(
      "FORBIDDEN",
      `${url} answered with status ${status}; use a public model, or download it and name its folder`,
    );
  }
  throw new WaggleError(
    status === 404 ? "NOT_FOUND" : "NETWORK",
    `${url} answered with status ${status}; check the name of the model`,
  );
}

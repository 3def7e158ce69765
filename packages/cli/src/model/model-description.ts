/** The files of a model without its weights, read before anything else, so that a model of no use is not downloaded. */
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { WaggleError } from "@waggle/protocol";
import { type ModelSource, parseModelSource } from "@waggle/runtime";

const HUGGING_FACE = "https://huggingface.co";
/** A model may lack some of them. */
const TEXT_FILES = [
  "chat_template.jinja",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
] as const;

/** What `waggle model` takes: a folder, or a source on a server. */
export type Source = string | ModelSource;

/** @param endpoint - a mirror of the Hub, such as `HF_ENDPOINT` names. */
export function sourceOf(text: string, endpoint: string | undefined): Source {
  if (existsSync(text) && statSync(text).isDirectory()) return text;
  if (/^[./~\\]/.test(text)) {
    throw new WaggleError("NOT_FOUND", `there is no folder ${text}; check the path`);
  }
  if (!text.includes("/")) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `there is no folder ${text}, and a model of the Hub is written as organization/name, such as Qwen/Qwen3-0.6B`,
    );
  }
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
  const place = placeOf(source, "config.json");
  const bytes = await read(source, "config.json", signal);
  if (bytes === null) throw absent(source, place);
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (cause) {
    throw new WaggleError("MODEL_CORRUPT", `${place} is not JSON; name another model`, { cause });
  }
}

/**
 * Tokenizer, chat template and stop tokens, as far as the model has these files.
 * @throws WaggleError `FORBIDDEN` or `NETWORK` (retryable).
 */
export async function readTextFiles(
  source: Source,
  signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const path of TEXT_FILES) {
    const bytes = await read(source, path, signal);
    if (bytes !== null) files.set(path, bytes);
  }
  return files;
}

function placeOf(source: Source, path: string): string {
  if (typeof source === "string") return join(source, path);
  if (source.kind === "url") return `${source.baseUrl}/${path}`;
  if (source.kind !== "hugging-face") {
    throw new WaggleError("INVALID_ARGUMENT", "name a folder, a Hub repository or a URL");
  }
  const { repository, revision = "main", folder, endpoint = HUGGING_FACE } = source;
  const inside = folder === undefined ? "" : `${folder}/`;
  return `${endpoint}/${repository}/resolve/${encodeURIComponent(revision)}/${inside}${path}`;
}

function absent(source: Source, place: string): WaggleError {
  return new WaggleError(
    "NOT_FOUND",
    typeof source === "string"
      ? `there is no ${place}; name the folder of a model in Hugging Face's layout`
      : `there is no ${place}; check the name of the model and its revision`,
  );
}

/** `null` if the model does not have the file. */
async function read(source: Source, path: string, signal: AbortSignal): Promise<Uint8Array | null> {
  const place = placeOf(source, path);
  if (typeof source === "string") {
    return existsSync(place) ? readFile(place, { signal }) : null;
  }
  try {
    const response = await fetch(place, { signal });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
    if (response.status === 404) return null;
    throw refusal(source, place, response);
  } catch (cause) {
    signal.throwIfAborted();
    if (WaggleError.is(cause)) throw cause;
    throw new WaggleError("NETWORK", `cannot read ${place}; check the network and try again`, {
      retryable: true,
      cause,
    });
  }
}

/** The Hub also answers 401 for a repository that does not exist. */
function refusal(
  source: ModelSource,
  place: string,
  { status, headers }: Pick<Response, "status" | "headers">,
): WaggleError {
  const isGated = status === 403 || headers.get("X-Error-Code") === "GatedRepo";
  if (status === 401 && !isGated && source.kind === "hugging-face") {
    return new WaggleError(
      "NOT_FOUND",
      `${source.repository} is neither a folder here nor a public model of the Hub; check the name, or download the model and name its folder`,
    );
  }
  if (status === 401 || isGated) {
    return new WaggleError(
      "FORBIDDEN",
      `${place} answered with status ${status}: the model needs an account. Use a public model, or download it and name its folder`,
    );
  }
  return new WaggleError(
    "NETWORK",
    `${place} answered with status ${status}; try again later, or name another model`,
    { retryable: status >= 500 || status === 429 },
  );
}

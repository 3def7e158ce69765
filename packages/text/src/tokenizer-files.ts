/** Reads JSON files of a model's folder. Grammars use it without the code of tokenizers and templates. */
import { WaggleError } from "@waggle/protocol";
import type { TokenizerJson } from "./tokenizer-json.ts";

/** @throws WaggleError `MODEL_CORRUPT` if the file is missing or not JSON. */
export function readTokenizerJson(files: ReadonlyMap<string, Uint8Array>): TokenizerJson {
  const json = jsonFile(files, "tokenizer.json");
  if (json !== undefined) return json as TokenizerJson;
  throw new WaggleError(
    "MODEL_CORRUPT",
    `tokenizer.json is missing; the model has ${[...files.keys()].join(", ") || "no files"}`,
  );
}

/**
 * `undefined` if the file is missing.
 *
 * @throws WaggleError `MODEL_CORRUPT` if it is not JSON.
 */
export function jsonFile(files: ReadonlyMap<string, Uint8Array>, path: string): unknown {
  const bytes = files.get(path);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (cause) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `${path} (${bytes.length} bytes) is not valid JSON; download the file again`,
      { cause },
    );
  }
}

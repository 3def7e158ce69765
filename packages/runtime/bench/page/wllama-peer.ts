/** wllama as users run it: its own worker and generation loop, on WASM only. */
import { Wllama } from "@wllama/wllama";
import { ggufTokenIds, ggufWord } from "../../../../test/golden/decoder/gguf-words.ts";

/** What is tuned. */
export type WllamaSetting = {
  readonly flash_attn: boolean;
  /** Format of keys and values. */
  readonly cache: "f32" | "f16" | "q8_0";
};

export class WllamaPeer {
  readonly #wllama: Wllama;

  private constructor(wllama: Wllama) {
    this.#wllama = wllama;
  }

  /** @param url - of a GGUF file, which is kept in the page's storage. */
  static async load(
    url: string,
    threads: number,
    contextLength: number,
    { flash_attn, cache }: WllamaSetting,
  ): Promise<WllamaPeer> {
    const wllama = new Wllama(
      { default: "/wllama.wasm" },
      { suppressNativeLog: true, logger: { ...console, debug() {}, log() {}, warn() {} } },
    );
    await wllama.loadModelFromUrl(new URL(url, location.href).href, {
      n_ctx: contextLength,
      n_threads: threads,
      n_gpu_layers: 0,
      n_parallel: 1,
      flash_attn,
      cache_type_k: cache,
      cache_type_v: cache,
      warmup: false,
    });
    return new WllamaPeer(wllama);
  }

  /**
   * Always the most likely token.
   *
   * @param keepsPrompt - whether the part of the prompt that was read last is not read again. The last token of the prompt always
   *   is, so that a run reads `count` tokens one by one after a kept prompt.
   */
  async generate(
    prompt: readonly number[],
    count: number,
    keepsPrompt: boolean,
  ): Promise<readonly number[]> {
    const request = {
      prompt: prompt.map(ggufWord).join(""),
      max_tokens: count,
      temperature: 0,
      top_k: 1,
      samplers: ["top_k"],
      ignore_eos: true,
      cache_prompt: keepsPrompt,
      stream: false,
    } as const;
    const { choices } = await this.#wllama.createCompletion(request);
    return ggufTokenIds(choices[0]?.text ?? "");
  }

  async dispose(): Promise<void> {
    await this.#wllama.exit();
  }
}

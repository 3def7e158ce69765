/**
 * A chat template in Jinja, parsed once. The library's own `Template` can also write templates, which
 * every page would load; this is the rest of it, with the globals that Transformers gives.
 * Source: Transformers, `utils/chat_template_utils.py`; Jinja's manual, "List of Global Functions".
 */
import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";

/** `strftime_now` is left out: a rendering must be the same on any day. */
const GLOBALS: { readonly [name: string]: unknown } = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  range,
  raise_exception(message: unknown) {
    throw new Error(String(message));
  },
};

export class Template {
  readonly #program: ReturnType<typeof parse>;

  /** @throws where `source` is no Jinja template. */
  constructor(source: string) {
    this.#program = parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
  }

  /** @throws what the template raises. */
  render(variables: { readonly [name: string]: unknown }): string {
    const environment = new Environment();
    for (const [name, value] of Object.entries({ ...GLOBALS, ...variables })) {
      environment.set(name, value);
    }
    return String(new Interpreter(environment).run(this.#program).value);
  }
}

/** As Python's. */
function range(first: number, second?: number, step = 1): number[] {
  if (step === 0) throw new Error("range() must have a step, got 0");
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  return Array.from({ length }, (_, index) => start + index * step);
}

/**
 * A Jinja chat template that is parsed once. The library's own `Template` class also contains a formatter that every
 * page would load. This class renders only, with the globals that Transformers provides.
 * Source: Transformers, `utils/chat_template_utils.py`; Jinja's manual, "List of Global Functions".
 */
import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";
import { WaggleError } from "@waggle/protocol";
import { PRINT, printAsPython, pythonText } from "./python-text.ts";

/** Llama 3 and others write today's date, but a trainer must repeat what a page rendered on another day. */
export const FIXED_DATE = "01 Jan 2026";

const GLOBALS: { readonly [name: string]: unknown } = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  range,
  raise_exception(message: unknown) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `the chat template refuses this conversation: ${String(message)}; use another model`,
    );
  },
  strftime_now: () => FIXED_DATE,
  [PRINT]: pythonText,
};

/** A parsed template. */
export class Template {
  readonly #program: ReturnType<typeof parse>;

  /** @throws WaggleError `TEMPLATE_UNSUPPORTED` if the library cannot parse `source`. */
  constructor(source: string) {
    this.#program = supported(() =>
      parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true })),
    );
    printAsPython(this.#program);
  }

  /**
   * @throws WaggleError `MODEL_UNSUPPORTED` if the template raises an error, `TEMPLATE_UNSUPPORTED` if the library cannot
   *   evaluate it.
   */
  render(variables: { readonly [name: string]: unknown }): string {
    return supported(() => {
      const environment = new Environment();
      for (const [name, value] of Object.entries({ ...GLOBALS, ...variables })) {
        environment.set(name, value);
      }
      return String(new Interpreter(environment).run(this.#program).value);
    });
  }
}

/** Jinja in JavaScript does not have all of Jinja's filters and types. */
function supported<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (cause) {
    if (WaggleError.is(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new WaggleError(
      "TEMPLATE_UNSUPPORTED",
      `@huggingface/jinja cannot evaluate the chat template (${reason.slice(0, 200)}); use another model or write a chat_template.jinja for it`,
      { cause },
    );
  }
}

/** Like Python's `range`. */
function range(first: number, second?: number, step = 1): number[] {
  if (step === 0) throw new Error("range() needs a step other than 0");
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  return Array.from({ length }, (_, index) => start + index * step);
}

/** An event handler attribute, such as `oncontextoverflow`. */

/** Its value: a function, or `null`. */
export type Handler = ((event: Event) => unknown) | null;

export class EventHandler {
  readonly #target: EventTarget;
  readonly #type: string;
  #handler: Handler = null;

  constructor(target: EventTarget, type: string) {
    this.#target = target;
    this.#type = type;
  }

  get value(): Handler {
    return this.#handler;
  }

  /** Objects that are not functions are kept and never called; other values mean `null`. */
  set value(handler: Handler) {
    const isKept = typeof handler === "function" || typeof handler === "object";
    const next = isKept ? handler : null;
    // A handler that replaces another keeps its place among the listeners.
    if (next === null) this.#target.removeEventListener(this.#type, this.#call);
    else this.#target.addEventListener(this.#type, this.#call);
    this.#handler = next;
  }

  readonly #call = (event: Event): void => {
    if (typeof this.#handler === "function") this.#handler.call(this.#target, event);
  };
}

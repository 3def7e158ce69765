/**
 * `<waggle-agent>`: the chat panel, in a shadow root, without a framework. It renders an `Agent` and holds no
 * conversation state itself. A page gives it an agent (`agent`), or the attributes to create one.
 */
import type { Agent } from "../agent.ts";
import { createAgent } from "../create-agent.ts";
import type { PageTool } from "@waggle/agent/tools";
import { createLauncher } from "./launcher.ts";
import { createPanel } from "./panel.ts";
import type { Panel } from "./panel.ts";
import { DEFAULT_TEXTS } from "./panel-texts.ts";
import type { PanelTexts } from "./panel-texts.ts";
import { STYLES } from "./styles.ts";

/** A server that renders pages has no `HTMLElement`. It imports this module, and never creates the element. */
const ElementBase: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/**
 * Creates an agent from the attributes `edge-url` and `site-key` if no `agent` is set. `edge-tools` names tools of the
 * edge, separated by spaces, and `assets-url` is the folder of its files. With `launcher` it is a button in the corner of the window that opens the panel. With
 * `developer` the panel shows arguments, results, versions, JSON and the back end.
 */
export class WaggleAgentElement extends ElementBase {
  #agent: Agent | null = null;
  #ownsAgent = false;
  #tools: readonly PageTool[] = [];
  #texts: PanelTexts = DEFAULT_TEXTS;
  #suggestions: readonly string[] = [];
  #leave: (() => void) | null = null;
  #panel: Panel | null = null;
  #frame = 0;

  /** Where an agent created from attributes finds its files, if there is no attribute `assets-url`. */
  static assetsUrl: string | null = null;

  static readonly observedAttributes: readonly string[] = ["launcher", "developer"];

  attributeChangedCallback(): void {
    if (this.#panel !== null) this.#attach();
  }

  /**
   * The agent that is rendered. The element does not dispose an agent that the page set. `undefined`, which frameworks
   * set, is `null`.
   */
  get agent(): Agent | null {
    return this.#agent;
  }
  set agent(agent: Agent | null | undefined) {
    this.#drop();
    this.#agent = agent ?? null;
    this.#ownsAgent = false;
    if (this.isConnected) this.#attach();
  }

  /** Tools of the page for an agent created from attributes. Set them before the element is connected. */
  get tools(): readonly PageTool[] {
    return this.#tools;
  }
  set tools(tools: readonly PageTool[] | undefined) {
    this.#tools = tools ?? [];
    if (this.isConnected && this.#agent === null) this.#attach();
  }

  /** Example requests, shown while the conversation is empty. */
  get suggestions(): readonly string[] {
    return this.#suggestions;
  }
  set suggestions(suggestions: readonly string[] | undefined) {
    const next = suggestions ?? [];
    // Frameworks set equal lists at each render. A new panel would lose what the visitor is writing.
    if (areEqual(next, this.#suggestions)) return;
    this.#suggestions = next;
    if (this.#panel !== null) this.#attach();
  }

  /** Replaces texts of the panel. */
  set texts(texts: Partial<PanelTexts> | undefined) {
    const next = { ...DEFAULT_TEXTS, ...texts };
    if (areEqual(Object.values(next), Object.values(this.#texts))) return;
    this.#texts = next;
    if (this.#panel !== null) this.#attach();
  }

  connectedCallback(): void {
    // A property set before the element was defined hides the accessor, so set it again.
    for (const name of ["agent", "tools", "suggestions", "texts"] as const) {
      const own = Object.getOwnPropertyDescriptor(this, name);
      if (own === undefined) continue;
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, own.value);
    }
    this.#attach();
  }

  disconnectedCallback(): void {
    this.#leave?.();
    this.#leave = null;
    // Moving the element disconnects and reconnects it synchronously. Dispose only after a real removal.
    queueMicrotask(() => {
      if (!this.isConnected) this.#drop();
    });
  }

  #drop(): void {
    this.#leave?.();
    this.#leave = null;
    if (this.#ownsAgent) void this.#agent?.dispose();
    if (this.#ownsAgent) this.#agent = null;
    this.#panel = null;
    this.shadowRoot?.replaceChildren();
  }

  #attach(): void {
    if (this.#agent === null) {
      const edgeUrl = this.getAttribute("edge-url");
      const siteKey = this.getAttribute("site-key");
      if (edgeUrl === null || siteKey === null) return;
      const edgeTools = (this.getAttribute("edge-tools") ?? "").split(/\s+/).filter(Boolean);
      const assetsUrl = this.getAttribute("assets-url") ?? WaggleAgentElement.assetsUrl;
      this.#agent = createAgent({
        edgeUrl,
        siteKey,
        tools: this.#tools,
        edgeTools,
        ...(assetsUrl === null ? {} : { assetsUrl }),
      });
      this.#ownsAgent = true;
    }
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open", delegatesFocus: true });
    this.#leave?.();
    const panel = createPanel(this.#agent, {
      texts: this.#texts,
      suggestions: this.#suggestions,
      isForDeveloper: this.hasAttribute("developer"),
    });
    this.#panel = panel;
    // A constructed sheet also works under a Content Security Policy without 'unsafe-inline'.
    root.adoptedStyleSheets = [styles()];
    root.replaceChildren(
      this.hasAttribute("launcher") ? createLauncher(panel, this.#texts) : panel.element,
    );
    this.#leave = this.#agent.onChange(() => {
      if (this.#frame !== 0) return;
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#panel?.update();
      });
    });
    this.#panel.update();
  }
}

function areEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((one, index) => one === right[index]);
}

let sheet: CSSStyleSheet | null = null;

/** One sheet for all panels of the page. */
function styles(): CSSStyleSheet {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
  }
  return sheet;
}

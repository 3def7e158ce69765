/** A banner on every page while promotions are frozen or pages are switched off. */
import type { ControlState } from "@waggle/protocol";
import { h } from "@waggle/embed/dom";
import { poll, type ViewContext } from "./view.ts";

const because = (reason: string) => (reason === "" ? "" : `: ${reason}`);

/** One sentence for each switch that is on. */
function controlSentences({ frozen, killed }: ControlState): string[] {
  return [
    ...(killed === null
      ? []
      : [
          `${killed.mode === "base" ? "All pages run the base model" : "All pages are silent"}, set by ${killed.by}${because(killed.reason)}`,
        ]),
    ...(frozen === null ? [] : [`Promotions are frozen by ${frozen.by}${because(frozen.reason)}`]),
  ];
}

/** Creates the banner, which polls on its own. */
export function createControlBanner(context: ViewContext): {
  readonly element: HTMLElement;
  dispose(): void;
} {
  const element = h("div", { class: "control-banner", role: "status", hidden: true });
  let shown = "";
  const poller = poll(
    context,
    () => context.api.control(),
    ({ data }) => {
      if (data === null) return;
      const sentences = controlSentences(data);
      if (sentences.join("\n") === shown) return;
      shown = sentences.join("\n");
      element.hidden = sentences.length === 0;
      element.replaceChildren(
        ...sentences.map((sentence) => h("p", {}, sentence)),
        h("a", { href: "#/control" }, "Control"),
      );
    },
  );
  return { element, dispose: () => poller.stop() };
}

/** The assistant of a page of this package: its name above, its agent, and its panel. The panel shows the agent once it has it. */
import { createAgent, type Agent, type AgentOptions } from "@waggle/embed";
import { required } from "@waggle/embed/dom";
import "@waggle/embed/element";
import { visitor } from "virtual:waggle/visitor";

/** Names the page, and creates the agent with the site's texts. The panel suggests nothing of the site's own. */
export function namedAssistant(
  name: string,
  options: AgentOptions,
): { readonly agent: Agent; readonly panel: HTMLElementTagNameMap["waggle-agent"] } {
  document.title = name;
  required("name", HTMLElement).textContent = name;
  const { panelTexts, suggestions: _, ...ofSite } = visitor;
  const agent = createAgent({ ...ofSite, ...options });
  const panel = required("agent", HTMLElement) as HTMLElementTagNameMap["waggle-agent"];
  panel.texts = panelTexts;
  return { agent, panel };
}

/** The assistant's panel. Its agent lives as long as the component. */
import "@waggle/embed/element";
import { useAgent } from "@waggle/embed/react";
import { site } from "virtual:waggle/site";

export function Assistant() {
  const agent = useAgent(site);
  return (
    <aside>
      <waggle-agent agent={agent} texts={site.panelTexts} suggestions={site.suggestions} />
    </aside>
  );
}

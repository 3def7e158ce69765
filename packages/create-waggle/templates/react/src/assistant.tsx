/** The assistant's panel. One agent serves the page, however often the component is mounted. */
import { createAgent } from "@waggle/embed";
import "@waggle/embed/element";
import { useEffect, useRef } from "react";
import { site } from "virtual:waggle/site";

const agent = createAgent(site);

export function Assistant() {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const panel = document.createElement("waggle-agent");
    panel.texts = site.panelTexts;
    panel.suggestions = ["Move the oldest P417 card in review to done."];
    panel.agent = agent;
    place.current?.replaceChildren(panel);
  }, []);
  return <aside ref={place} />;
}

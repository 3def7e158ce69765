"use client";

import "@waggle/embed/element";
import { useAgent } from "@waggle/embed/react";

const OPTIONS = {
  edgeUrl: "https://edge.example",
  siteKey: "my-site",
  tools: [
    {
      name: "page_title",
      description: "The title of this page.",
      parameters: { type: "object", properties: {} },
      run: () => document.title,
    },
  ],
};

export function Assistant() {
  const agent = useAgent(OPTIONS);
  return <waggle-agent agent={agent} style={{ height: "36rem" }} />;
}

import { createAgent } from "@waggle/embed";
import "@waggle/embed/element";

document.querySelector("waggle-agent").agent = createAgent({
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
});

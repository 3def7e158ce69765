import { defineSite } from "@waggle/site";
import { PROMPT } from "./src/greenhouse.js";

export default defineSite({
  id: "greenhouse",
  name: "Greenhouse",
  prompt: PROMPT,
  tools: () => import("./src/tools.js"),
  environment: () => import("./practice/environment.js"),
  consent: { version: "1" },
  languages: ["en", "de", "fr"],
});

import { defineSite } from "@waggle/site";
import { PROMPT } from "./src/greenhouse.js";

// The model understands the environment's requests, which are English.
const suggestions = ["Give 100 ml to each dry plant in the hall."];

export default defineSite({
  id: "greenhouse",
  name: "Greenhouse",
  prompt: PROMPT,
  tools: () => import("./src/tools.js"),
  environment: () => import("./practice/environment.js"),
  consent: { version: "1" },
  panel: { suggestions: { en: suggestions, de: suggestions, fr: suggestions } },
  languages: ["en", "de", "fr"],
});

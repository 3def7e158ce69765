import { defineSite } from "@waggle/site";
import { PROMPT } from "./src/board.ts";

// The model understands the environment's requests, which are English.
const suggestions = ["Move the oldest P417 card in review to done."];

export default defineSite({
  id: "board",
  name: "Board",
  prompt: PROMPT,
  tools: () => import("./src/tools.ts"),
  environment: () => import("./practice/environment.ts"),
  consent: { version: "1" },
  panel: { suggestions: { en: suggestions, de: suggestions, fr: suggestions } },
  languages: ["en", "de", "fr"],
});

import { defineSite } from "@waggle/site";
import { PROMPT } from "./src/rooms.ts";

// The model understands the environment's requests, which are English.
const suggestions = ["Reserve a room for 6 people on monday at 10:30."];

export default defineSite({
  id: "meeting-rooms",
  name: "Meeting rooms",
  prompt: PROMPT,
  tools: () => import("./src/tools.ts"),
  environment: () => import("./practice/environment.ts"),
  consent: { version: "1" },
  panel: { suggestions: { en: suggestions, de: suggestions, fr: suggestions } },
  languages: ["en", "de", "fr"],
});

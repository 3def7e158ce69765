import { defineSite } from "@waggle/site";
import { PROMPT } from "./src/rooms.ts";

export default defineSite({
  id: "meeting-rooms",
  name: "Meeting rooms",
  prompt: PROMPT,
  tools: () => import("./src/tools.ts"),
  environment: () => import("./practice/environment.ts"),
  consent: { version: "1" },
  languages: ["en", "de", "fr"],
});

import { defineSite } from "@waggle/site";
import { PROMPT } from "./src/board.ts";

export default defineSite({
  id: "board",
  name: "Board",
  prompt: PROMPT,
  tools: () => import("./src/tools.ts"),
  environment: () => import("./practice/environment.ts"),
  consent: { version: "1" },
  languages: ["en", "de", "fr"],
});

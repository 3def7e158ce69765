import { join } from "node:path";

export default {
  mode: "production",
  context: import.meta.dirname,
  entry: "./page.js",
  output: { path: join(import.meta.dirname, "dist"), filename: "page.js" },
};

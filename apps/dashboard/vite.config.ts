/** The dashboard as a Vite app. */
import { defineConfig } from "vite";
import { pageConfig } from "../page-config.ts";

export default defineConfig(
  pageConfig({ root: import.meta.dirname, edgeUrl: "http://localhost:8787", hasModel: false }),
);

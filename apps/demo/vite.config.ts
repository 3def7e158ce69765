/** The demo shop as a Vite app. */
import { defineConfig } from "vite";
import { pageConfig } from "../page-config.ts";
import { writeServiceWorkerList } from "./vite-offline.ts";

export default defineConfig(
  pageConfig({
    root: import.meta.dirname,
    edgeUrl: "http://127.0.0.1:8787",
    hasModel: true,
    plugins: [writeServiceWorkerList()],
  }),
);

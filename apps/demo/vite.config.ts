/** What the demo shop adds to the Vite plugin that `@waggle/dev` builds every page with. */
import { defineConfig } from "vite";
import { writeServiceWorkerList } from "./vite-offline.ts";

export default defineConfig({ plugins: [writeServiceWorkerList()] });

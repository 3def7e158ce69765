import { waggle } from "@waggle/site/vite";
import { defineConfig } from "vite";

export default defineConfig({ plugins: [waggle()] });

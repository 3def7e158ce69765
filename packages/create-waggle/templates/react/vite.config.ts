import react from "@vitejs/plugin-react";
import { waggle } from "@waggle/site/vite";
import { defineConfig } from "vite";

export default defineConfig({ plugins: [react(), waggle()] });

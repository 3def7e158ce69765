import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  // `vite dev` must not move the modules that find their worker and their WASM file beside them.
  optimizeDeps: { exclude: ["@waggle/runtime", "onnxruntime-web"], include: ["@waggle/model"] },
});

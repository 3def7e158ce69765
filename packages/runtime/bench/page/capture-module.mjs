/**
 * Stands in for onnxruntime's factory of its WASM module and keeps the module it makes, whose C API
 * reads and writes tensors where they lie. Plain JavaScript: onnxruntime imports it by address.
 */
import create from "/node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.mjs";

// What onnxruntime takes is the default export.
// oxlint-disable-next-line import/no-default-export
export default async function createAndKeep(options) {
  const module = await create(options);
  const openSession = module._OrtCreateSession;
  module._OrtCreateSession = async (...parameters) => {
    const handle = await openSession(...parameters);
    globalThis.benchSessions = [...(globalThis.benchSessions ?? []), handle];
    return handle;
  };
  globalThis.benchModule = module;
  return module;
}

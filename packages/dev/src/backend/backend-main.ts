/**
 * The site's backend of a live run as a process: `backend-main '<BackendProcessOptions as JSON>'`. The credential of the site's
 * server comes in `WAGGLE_OUTCOMES_CREDENTIAL`.
 */
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { environmentFrom } from "@waggle/trainer";
import type { BackendProcessOptions } from "./backend-process.ts";
import { outcomeReport } from "./outcome-report.ts";
import { createSiteBackend } from "./site-backend.ts";

const options = JSON.parse(process.argv[2] ?? "") as BackendProcessOptions;
const credential = process.env["WAGGLE_OUTCOMES_CREDENTIAL"] ?? "";
const backend = await createSiteBackend({
  spec: await environmentFrom(options.environment, options.project),
  report: outcomeReport(options.edgeUrl, credential),
});

createServer((incoming, outgoing) => {
  const { method = "GET", url = "/" } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
  const request = new Request(new URL(url, "http://localhost"), {
    method,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" } : {}),
  } as RequestInit);
  backend(request)
    .catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      return new Response(String(error), { status: 500 });
    })
    .then(async (response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    })
    .catch(() => outgoing.destroy());
}).listen(options.port, "127.0.0.1");

/** Bodies of the uploader's requests. */

/** JSON as it is. */
export function plainBody(text: string): RequestInit {
  return { body: text, headers: { "content-type": "application/json" } };
}

/** Compressed JSON, or as it is where the browser cannot compress. */
export async function gzipBody(text: string): Promise<RequestInit> {
  if (typeof CompressionStream === "undefined") return plainBody(text);
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return {
    body: await new Response(stream).arrayBuffer(),
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
  };
}

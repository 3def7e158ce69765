import { expect, test } from "vitest";
import { call, freshEdge, putBytes } from "../testing/edge.ts";

test("without a range, or with one over all bytes, an object is sent as a whole", async () => {
  await freshEdge();
  const { sha256 } = await putBytes(new TextEncoder().encode("0123456789"));
  for (const headers of [{}, { range: "bytes=0-9" }]) {
    const whole = await call("GET", `/v1/objects/${sha256}`, { headers });
    expect(whole).toMatchObject({ status: 200, body: "0123456789" });
    expect(whole.headers.get("content-range")).toBeNull();
    expect(whole.headers.get("accept-ranges")).toBe("bytes");
  }
});

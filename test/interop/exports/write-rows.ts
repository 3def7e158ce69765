/** Writes the rows of the sample for reference.py, one per line. Run by hand. */
import { isRefusal } from "@waggle/exchange";
import { modelFormats } from "./model-formats.ts";
import { sampleRows } from "./sample.ts";

for await (const { model, format } of modelFormats()) {
  for (const { name, found } of await sampleRows(format)) {
    if (isRefusal(found)) continue;
    process.stdout.write(`${JSON.stringify({ model, name, row: found.row })}\n`);
  }
}

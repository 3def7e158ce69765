/**
 * Writes transcripts.json, and demo.json for the demo. Run it when tasks are meant to change:
 * `node --conditions=source test/golden/environments/write.ts`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SHOP } from "@waggle/demo/environment";
import {
  goldenTranscripts,
  transcriptsOf,
} from "../../../packages/environments/src/golden-transcripts.fixture.ts";

function write(name: string, golden: object): void {
  writeFileSync(join(import.meta.dirname, name), `${JSON.stringify(golden, null, 1)}\n`);
}

write("transcripts.json", await goldenTranscripts());
write("demo.json", await transcriptsOf(SHOP));

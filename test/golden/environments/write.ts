/** Writes transcripts.json. Run it when tasks are meant to change: `node --conditions=source test/golden/environments/write.ts`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { goldenTranscripts } from "../../../packages/environments/src/golden-transcripts.fixture.ts";

const golden = JSON.stringify(await goldenTranscripts(), null, 1);
writeFileSync(join(import.meta.dirname, "transcripts.json"), `${golden}\n`);

/** Writes wire-schemas.json. Run it when the wire format is meant to change: `node --conditions=source test/golden/protocol/write.ts`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { wireSchemas } from "../../../packages/protocol/src/wire-schemas.fixture.ts";

const golden = JSON.stringify(wireSchemas(), null, 1);
writeFileSync(join(import.meta.dirname, "wire-schemas.json"), `${golden}\n`);

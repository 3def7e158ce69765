/** Setup file for mapping tests: reports to Vitest which marks a test file reached. */
import { afterAll, beforeEach } from "vitest";

const reached = new Set<string>();
Object.assign(globalThis, { waggleReach: (mark: string) => void reached.add(mark) });

let meta: object = {};
beforeEach(({ task }) => {
  meta = task.file.meta;
});
afterAll(() => void Object.assign(meta, { reached: [...reached] }));

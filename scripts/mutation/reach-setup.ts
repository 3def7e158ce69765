/** Loaded before each test file while tests are mapped: tells Vitest which marks the file reached. */
import { afterAll, beforeEach } from "vitest";

const reached = new Set<string>();
Object.assign(globalThis, { waggleReach: (mark: string) => void reached.add(mark) });

let meta: object = {};
beforeEach(({ task }) => {
  meta = task.file.meta;
});
afterAll(() => void Object.assign(meta, { reached: [...reached] }));

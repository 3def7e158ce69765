import { expect, test } from "vitest";
import { hasRoomExpanded } from "./expanded-room.ts";
import { TINY_CONFIG } from "./tiny-decoder.fixture.ts";

test("quantized matrices are expanded if they fit a fifth of the device's memory, up to 1.4 GB", () => {
  const ofParameters = (millions: number) => ({
    ...TINY_CONFIG,
    vocabularySize: (millions * 1e6) / TINY_CONFIG.width,
  });
  expect([1, 100, 345, 355].map((size) => hasRoomExpanded(ofParameters(size), 8))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect([100, 120].map((size) => hasRoomExpanded(ofParameters(size), 2))).toEqual([true, false]);
  expect(hasRoomExpanded(ofParameters(345))).toBe(true);
});

import { expect, test } from "vitest";
import { sizeIn } from "./size-text.ts";

test.each([
  ["en", "1 byte", "512 bytes", "6 kB", "4.3 MB"],
  ["de", "1 Byte", "512 Byte", "6 kB", "4,3 MB"],
  ["fr", "1 octet", "512 octets", "6 ko", "4,3 Mo"],
])("%s writes sizes in its units", (language, ...written) => {
  const sizes = [1, 512, 6_000, 4_300_000].map((bytes) => sizeIn(language)(bytes));
  // Languages separate number and unit with different spaces.
  expect(sizes.map((size) => size.replace(/\s/g, " "))).toEqual(written);
});

/** A line of the cart in a person's words. */
import { pick } from "@waggle/environments";
import type { RandomSource } from "@waggle/protocol";
import { type Line, linesOf, singleLines } from "./scene.ts";
import type { Scene } from "./talk-turn.ts";
import { type CategoryWords, categoryWords, nameOf } from "./values.ts";

/** Share of the lines that are named by their category. */
const CATEGORY_SHARE = 0.7;

/** Draws a line and names it: by its category if no other line has that, or by the product's name. */
export function drawNamedLine(
  random: RandomSource,
  scene: Pick<Scene, "cart" | "goods">,
): (Line & CategoryWords) | null {
  const byCategory = random() < CATEGORY_SHARE;
  const lines = byCategory ? singleLines(scene) : linesOf(scene);
  if (lines.length === 0) return null;
  const line = pick(random, lines);
  if (byCategory) return { ...line, ...categoryWords(line.item, random) };
  const name = nameOf(line.item, random, scene.goods);
  return { ...line, one: name, several: name };
}

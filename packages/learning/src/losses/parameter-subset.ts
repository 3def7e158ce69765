/** Losses that train only some of the parameters. */
import { definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { drawnNames } from "../merging/parameter-subsets.ts";

/** The layers above a share of the depth. Lower layers and the embedding stay unchanged. */
export function upperLayers(from: number): NonNullable<LossPart["trains"]> {
  return (names) => {
    const layerOf = (name: string): number => Number(/layers\.(\d+)/.exec(name)?.[1] ?? -1);
    const split = Math.floor(from * (1 + Math.max(...names.map(layerOf))));
    return new Set(names.filter((name) => layerOf(name) >= split));
  };
}

/** `param-subset`: `inner`, which trains only the chosen parameters; all others keep their values. */
export function parameterSubset<N extends StateName>(
  inner: LossPart<N>,
  choose: NonNullable<LossPart["trains"]>,
): LossPart<N> {
  return definePart(
    {},
    (_, [loss]) => ({ ...loss, part: "param-subset", around: [loss], trains: choose }),
    [inner],
  );
}

/** A random share of the matrices of each layer, drawn anew at each step. */
export function drawnShare(share: number): NonNullable<LossPart["trains"]> {
  return (names, { random }) =>
    drawnNames(names, share, (name) => /layers\.\d+/.exec(name)?.[0] ?? "outside", random);
}

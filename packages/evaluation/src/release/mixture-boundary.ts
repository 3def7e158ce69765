/**
 * The boundary of the mixture sequential probability ratio test with a normal mixture. The chance of ever
 * crossing it without a difference is at most the given rate, over an unlimited time.
 *
 * Source: Robbins 1970, Annals of Mathematical Statistics 41(5); Johari, Koomen, Pekelis & Walsh 2022, "Always
 * valid inference: continuous monitoring of A/B tests", Operations Research 70(3); the scale by Waudby-Smith,
 * Arbour, Sinha, Kennedy & Ramdas 2024, "Time-uniform central limit theory and asymptotic confidence sequences",
 * Annals of Statistics 52(6).
 * Differs from them: one-sided, so the rate of the two-sided boundary is twice as high.
 */

/** What a mixture is made for. */
export type MixtureOptions = {
  /** Bound on the chance of ever crossing it in one direction, below 0.5. */
  readonly falseAlarm: number;
  /** The size at which the boundary is narrowest for its rate. */
  readonly narrowest: number;
};

/** The boundary in standard errors. @param size - of a comparison, > 0. */
export function mixtureBoundary(size: number, { falseAlarm, narrowest }: MixtureOptions): number {
  const twoSided = -2 * Math.log(2 * falseAlarm);
  const ratio = ((twoSided + Math.log(1 + twoSided)) * size) / narrowest;
  return Math.sqrt((1 + 1 / ratio) * (twoSided + Math.log(1 + ratio)));
}

/**
 * The logarithm of the gamma function and its first two derivatives, for positive arguments.
 *
 * Source: the asymptotic series of Abramowitz & Stegun 6.1.41, 6.3.18 and 6.4.12 for arguments of 12 and
 * more; the recurrence for smaller ones.
 */

/** Smallest argument for which the series is used. */
const FROM = 12;

/** log Γ(x) for x > 0. */
export function logGamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < FROM; at += 1) shift -= Math.log(at);
  const r = 1 / (at * at);
  const series = (1 - r * (1 / 30 - r * (1 / 105 - r * (1 / 140 - r / 99)))) / (12 * at);
  return shift + (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series;
}

/** First derivative of log Γ. */
export function digamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < FROM; at += 1) shift -= 1 / at;
  const r = 1 / (at * at);
  const series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))));
  return shift + Math.log(at) - 1 / (2 * at) - series;
}

/** Second derivative of log Γ. */
export function trigamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < FROM; at += 1) shift += 1 / (at * at);
  const r = 1 / (at * at);
  const series = (r * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - (5 * r) / 66))))) / at;
  return shift + 1 / at + r / 2 + series;
}

/**
 * The gamma function's logarithm and the first two derivatives of that, for positive arguments.
 *
 * Source: the asymptotic series of Abramowitz & Stegun 6.1.41, 6.3.18 and 6.4.12, from 12 on; below it
 * the recurrence.
 */

const FROM = 12;

export function logGamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < FROM; at += 1) shift -= Math.log(at);
  const r = 1 / (at * at);
  const series = (1 - r * (1 / 30 - r * (1 / 105 - r * (1 / 140 - r / 99)))) / (12 * at);
  return shift + (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series;
}

export function digamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < FROM; at += 1) shift -= 1 / at;
  const r = 1 / (at * at);
  const series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))));
  return shift + Math.log(at) - 1 / (2 * at) - series;
}

export function trigamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < FROM; at += 1) shift += 1 / (at * at);
  const r = 1 / (at * at);
  const series = (r * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - (5 * r) / 66))))) / at;
  return shift + 1 / at + r / 2 + series;
}

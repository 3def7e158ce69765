/** A 95 % confidence interval. */
export type Interval = { readonly low: number; readonly high: number };

/** The 97.5 % quantile of the standard normal distribution. */
export const Z_95 = 1.959963984540054;

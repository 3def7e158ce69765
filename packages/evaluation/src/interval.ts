/** An interval that holds a parameter with the stated confidence, 95 % everywhere here. */
export type Interval = { readonly low: number; readonly high: number };

/** The 97.5 % point of the standard normal distribution. */
export const Z_95 = 1.959963984540054;

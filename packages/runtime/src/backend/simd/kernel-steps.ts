/** Numbers that the float32 kernels take at a time. */

/** Numbers of a row that one pass of a product's innermost loop reads. Rows are multiples of it. */
export const FLOAT_STEP = 8;

/** Numbers of a row that `addRows` sums at a time. Its rows are multiples of it. */
export const ADD_STEP = 16;

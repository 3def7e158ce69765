/** Name and shape of a decoder's tensor. */
export type ParameterShape = { readonly name: string; readonly shape: readonly number[] };

/** A tensor of a decoder by its name, without its numbers. */
export type ParameterShape = { readonly name: string; readonly shape: readonly number[] };

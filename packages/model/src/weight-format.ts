/** Number format of the matrices. With `int4`, embedding and logits' matrix have 8 bits. */
export type WeightFormat = "f32" | "f16" | "int8" | "int4";

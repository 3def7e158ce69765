/** Number format of the matrices. The embedding and the logits' matrix of `int4` are in 8 bits. */
export type WeightFormat = "f32" | "f16" | "int8" | "int4";

/** What a table of wordings is: the patterns of how people type one kind of request, written by hand. */

/**
 * Patterns by kind. Slots are in braces. A product's name has no article: "the {name}". `{what}` is a singular
 * category with or without an attribute, `{category}` is a plural, `{thing}` is a plural or a mass noun.
 * `{line}` is the category of a line of the cart: a singular for one piece, a plural for several.
 */
export type Wordings<Kind extends string> = { readonly [kind in Kind]: readonly string[] };

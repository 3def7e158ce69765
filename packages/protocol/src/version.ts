/**
 * The version that all packages share. Written by `npm run release -- --prepare` from package.json, because pages
 * cannot read a package.json; a test compares the two.
 */
export const WAGGLE_VERSION: string = "0.1.0";

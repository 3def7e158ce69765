/**
 * The version that all packages share. `npm run release -- --prepare` writes it from package.json,
 * because pages cannot read package.json. A test compares the two.
 */
export const WAGGLE_VERSION: string = "0.1.0";

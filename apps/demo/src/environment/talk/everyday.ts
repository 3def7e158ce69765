/** Name in task references of talks of both levels. The page reads it without loading the talks. */
export const EVERYDAY = "shop-everyday";

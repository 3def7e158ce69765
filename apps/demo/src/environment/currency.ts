/** Currencies of the shop. Exchange rates are fixed, so that an answer can be checked years later. */
import { WaggleError } from "@waggle/protocol";

/** Value of one euro in each currency. Fixed on purpose; not market rates. */
export const EXCHANGE_RATES: { readonly [currency: string]: number } = {
  EUR: 1,
  USD: 1.08,
  GBP: 0.85,
  JPY: 162,
  CHF: 0.95,
  SEK: 11.2,
  PLN: 4.3,
};

/** Rounds to cents. The epsilon compensates for binary fractions just below a half. */
function roundMoney(amount: number): number {
  return Math.round((amount + Number.EPSILON) * 100) / 100;
}

/**
 * Converts an amount between currencies, rounded to cents.
 * @throws WaggleError `INVALID_TOOL_ARGUMENTS` for a currency that is not in the table.
 */
export function convertCurrency(amount: number, from: string, to: string): number {
  return roundMoney((amount / rateOf(from)) * rateOf(to));
}

function rateOf(currency: string): number {
  const code = currency.toUpperCase();
  if (!Object.hasOwn(EXCHANGE_RATES, code)) {
    throw new WaggleError(
      "INVALID_TOOL_ARGUMENTS",
      `a currency must be one of ${Object.keys(EXCHANGE_RATES).join(", ")}, got ${currency.slice(0, 8)}; use its three letters`,
    );
  }
  return EXCHANGE_RATES[code] as number;
}

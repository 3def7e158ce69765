/** Check digits of cards, bank accounts and national ids. Every function expects digits or upper-case letters only. */

/** The sum of ISO/IEC 7812-1, annex B (Luhn), modulo 10: 0 for a valid number. */
export function luhnRemainder(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10;
}

/** The remainder of ISO/IEC 7064 MOD 97-10, with letters as 10 to 35: 1 for a valid number. */
export function mod97(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/** The sum of digits times weights. Missing digits count 0. */
const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index] ?? 0), 0);

/** Germany's tax id: ISO/IEC 7064 MOD 11,10. One digit of the first ten occurs two or three times. */
export function isSteuerId(digits: string): boolean {
  const repeated = new Set(digits.slice(0, 10)).size;
  if (digits[0] === "0" || (repeated !== 9 && repeated !== 8)) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    product = ((((Number(digit) + product) % 10 || 10) * 2) % 11) as number;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

/** Poland's PESEL: a date and a check digit. */
export function isPesel(digits: string): boolean {
  const month = Number(digits.slice(2, 4)) % 20;
  const isDate = month >= 1 && month <= 12 && isDay(digits.slice(4, 6));
  return isDate && weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}

/** Turkey's T.C. kimlik no: two check digits. */
export function isTckn(digits: string): boolean {
  const tenth = weighted(digits, [7, -1, 7, -1, 7, -1, 7, -1, 7]);
  const isTenth = ((tenth % 10) + 10) % 10 === Number(digits[9]);
  const sum = weighted(digits, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  return digits[0] !== "0" && isTenth && sum % 10 === Number(digits[10]);
}

/** Brazil's CPF: two check digits. Eleven equal digits are not assigned. */
export function isCpf(digits: string): boolean {
  const check = (count: number): number => {
    const weights = Array.from({ length: count }, (_, index) => count + 1 - index);
    return ((weighted(digits, weights) * 10) % 11) % 10;
  };
  const isVaried = new Set(digits).size > 1;
  return isVaried && check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

/** Sweden's personnummer of 10 digits: a date and a check digit. A coordination number adds 60 to the day. */
export const isPersonnummer = (digits: string): boolean =>
  /^\d\d(?:0[1-9]|1[0-2])/.test(digits) &&
  isDay(String(Number(digits.slice(4, 6)) % 60)) &&
  luhnRemainder(digits) === 0;

/** Germany's pension insurance number: a letter as two digits, and the digit sums of weighted digits. */
export function isSvnr(text: string): boolean {
  const letter = String(Number.parseInt(text[8] ?? "", 36) - 9).padStart(2, "0");
  const digits = text.slice(0, 8) + letter + text.slice(9, 11);
  const sum = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].reduce((total, weight, index) => {
    const product = weight * Number(digits[index]);
    return total + Math.floor(product / 10) + (product % 10);
  }, 0);
  return sum % 10 === Number(text[11]);
}

/** France's NIR: 97 minus the remainder. Corsica's 2A and 2B count as 19 and 18. */
export function isNir(text: string): boolean {
  const number = text.slice(0, 13).replace("2A", "19").replace("2B", "18");
  return 97 - Number(BigInt(number) % 97n) === Number(text.slice(13));
}

/** Spain's DNI and NIE: the letter is the remainder of the number modulo 23. */
export function isDni(text: string): boolean {
  const number = text.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[Number(number) % 23] === text.at(-1);
}

/** The Netherlands' BSN: the weighted sum is a multiple of 11, and the last digit counts negative. */
export const isBsn = (digits: string): boolean =>
  digits.length === 9 && weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;

/** Portugal's NIF: 11 minus the weighted sum modulo 11; 0 instead of 10 and 11. */
export function isNifPt(digits: string): boolean {
  const rest = weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return digits.length === 9 && (rest < 2 ? 0 : 11 - rest) === Number(digits[8]);
}

/** Japan's My Number: 11 minus the weighted sum modulo 11; 0 instead of 10 and 11. */
export function isMyNumber(digits: string): boolean {
  const rest = weighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return digits.length === 12 && (rest < 2 ? 0 : 11 - rest) === Number(digits[11]);
}

const isDay = (text: string): boolean => Number(text) >= 1 && Number(text) <= 31;

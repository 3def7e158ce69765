/** Checks the planted numbers with the check digits of their issuers. Shares no code with what made them. */
import { expect, test } from "vitest";
import type { RedactionKind } from "./marked-text.ts";
import { redactionCorpus } from "./redaction-corpus.ts";
import type { RedactionLanguage } from "./redaction-corpus.ts";

type Check = (value: string) => boolean;

const digits = (value: string): number[] => Array.from(value, Number);
const weighted = (value: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, i) => sum + weight * Number(value[i]), 0);

const luhn: Check = (value) =>
  digits(value)
    .reverse()
    .reduce((sum, d, i) => sum + (i % 2 === 0 ? d : d * 2 - (d > 4 ? 9 : 0)), 0) %
    10 ===
  0;

/** Letters count from A = 10. */
const iban: Check = (value) => {
  const moved = `${value.slice(4)}${value.slice(0, 4)}`.toUpperCase();
  return BigInt(moved.replace(/[A-Z]/g, (c) => String(c.charCodeAt(0) - 55))) % 97n === 1n;
};

const IBAN_LENGTHS: { readonly [country: string]: number } = {
  AT: 20,
  BE: 16,
  CH: 21,
  DE: 22,
  DK: 18,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  IE: 22,
  IT: 27,
  LU: 20,
  NL: 18,
  PL: 28,
  PT: 25,
  SE: 24,
  TR: 26,
};

const ssn: Check = (value) => /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(value);
const nino: Check = (value) => /^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(value);
const nhs: Check = (value) =>
  /^\d{10}$/.test(value) && weighted(value, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;

/** ISO 7064 MOD 11,10; of the first ten digits, one occurs two or three times and the others once. */
const steuerId: Check = (value) => {
  if (!/^[1-9]\d{10}$/.test(value)) return false;
  const counts = Object.values(Object.groupBy(value.slice(0, 10), String)).map(
    (all) => all?.length,
  );
  if (counts.filter((count) => count !== 1).length !== 1) return false;
  const product = digits(value.slice(0, 10)).reduce((p, d) => (((d + p) % 10 || 10) * 2) % 11, 10);
  return (11 - product) % 10 === Number(value[10]);
};

/** The letter counts as two digits from A = 01, and products as the sums of their digits. */
const versicherungsnummer: Check = (value) => {
  if (!/^\d{8}[A-Z]\d{3}$/.test(value)) return false;
  const plain = value.replace(/[A-Z]/, (c) => String(c.charCodeAt(0) - 64).padStart(2, "0"));
  const products = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].map((w, i) => w * Number(plain[i]));
  const sum = products.reduce((total, p) => total + Math.floor(p / 10) + (p % 10), 0);
  return sum % 10 === Number(plain[12]);
};

const nir: Check = (value) =>
  /^[12]\d{14}$/.test(value) &&
  97n - (BigInt(value.slice(0, 13)) % 97n) === BigInt(value.slice(13));

/** A DNI, or a NIE whose X, Y or Z counts as 0, 1 or 2. */
const dni: Check = (value) => {
  if (!/^[\dXYZ]\d{7}[A-Z]$/.test(value)) return false;
  const number = Number(value.slice(0, 8).replace(/[XYZ]/, (c) => String("XYZ".indexOf(c))));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] === value[8];
};

/** Values at odd places (first, third, …) of 0 to 9, which are those of A to J too, and then of K to Z. */
const ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];
const codiceFiscale: Check = (lower) => {
  const value = lower.toUpperCase();
  if (!/^[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]$/.test(value)) return false;
  const sum = Array.from(value.slice(0, 15)).reduce((total, c, i) => {
    const place = /\d/.test(c) ? Number(c) : c.charCodeAt(0) - 65;
    return total + (i % 2 === 0 ? (ODD[place] ?? NaN) : place);
  }, 0);
  return sum % 26 === value.charCodeAt(15) - 65;
};

const bsn: Check = (value) =>
  /^\d{9}$/.test(value) && weighted(value, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
const pesel: Check = (value) =>
  /^\d{11}$/.test(value) && weighted(value, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
const personnummer: Check = (value) =>
  /^(19|20)?\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])\d{4}$/.test(value) && luhn(value.slice(-10));
const tckn: Check = (value) =>
  /^[1-9]\d{10}$/.test(value) &&
  (weighted(value, [7, -1, 7, -1, 7, -1, 7, -1, 7]) + 100) % 10 === Number(value[9]) &&
  weighted(value, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) % 10 === Number(value[10]);
const cpf: Check = (value) =>
  /^\d{11}$/.test(value) &&
  ((weighted(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10 === Number(value[9]) &&
  ((weighted(value, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10 === Number(value[10]);
const nif: Check = (value) =>
  /^[12]\d{8}$/.test(value) &&
  ((weighted(value, [9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10 === Number(value[8]);
const myNumber: Check = (value) =>
  /^\d{12}$/.test(value) &&
  ((weighted(value, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10 === Number(value[11]);

const NATIONAL: { readonly [language in RedactionLanguage]: readonly Check[] } = {
  de: [steuerId, versicherungsnummer],
  en: [ssn, nino, nhs],
  es: [dni],
  fr: [nir],
  it: [codiceFiscale],
  ja: [myNumber],
  nl: [bsn],
  pl: [pesel],
  pt: [cpf, nif],
  sv: [personnummer],
  tr: [tckn],
};

const corpus = redactionCorpus();

/** Planted values without separators. */
const values = (kind: RedactionKind): { language: RedactionLanguage; value: string }[] =>
  corpus.flatMap(({ language, text, spans }) =>
    spans
      .filter((span) => span.kind === kind)
      .map(({ start, end }) => ({
        language,
        value: text.slice(start, end).replace(/[\s./-]/g, ""),
      })),
  );

/** The same with another first digit. */
const altered = (value: string): string => value.replace(/\d/, (d) => String((Number(d) + 1) % 10));

/** Values that the check refuses, and those that it accepts with another digit. */
const wrongly = (kind: RedactionKind, check: Check): string[] =>
  values(kind)
    .filter(({ value }) => !check(value) || check(altered(value)))
    .map(({ value }) => value);

test("card numbers have 15 or 16 digits and pass Luhn's check", () => {
  expect(wrongly("card", luhn)).toEqual([]);
  const lengths = values("card").filter(({ value }) => !/^(3[47]\d{13}|\d{16})$/.test(value));
  expect(lengths).toEqual([]);
});

test("IBANs have the length of their country and the remainder 1", () => {
  expect(wrongly("iban", iban)).toEqual([]);
  const lengths = values("iban").filter(
    ({ value }) => value.length !== IBAN_LENGTHS[value.slice(0, 2).toUpperCase()],
  );
  expect(lengths).toEqual([]);
});

test("national ids are valid in a country of their language", () => {
  const wrong = values("national-id").filter(
    ({ language, value }) => !NATIONAL[language].some((check) => check(value.toUpperCase())),
  );
  expect(wrong).toEqual([]);
});

test("each scheme of national ids occurs at least five times", () => {
  const ids = values("national-id");
  const rare = Object.entries(NATIONAL).flatMap(([language, checks]) =>
    checks
      .map(
        (check) =>
          ids.filter((one) => one.language === language && check(one.value.toUpperCase())).length,
      )
      .filter((count) => count < 5)
      .map((count) => `${language}: ${count}`),
  );
  expect(rare).toEqual([]);
});

/** Numbers that their issuers or reference works give as examples. */
test.each([
  ["NHS", nhs, "9434765919"],
  ["Steuer-ID", steuerId, "86095742719"],
  ["Versicherungsnummer", versicherungsnummer, "65170839J003"],
  ["DNI", dni, "12345678Z"],
  ["NIE", dni, "X1234567L"],
  ["NIR", nir, "255081416802538"],
  ["codice fiscale", codiceFiscale, "RSSMRA85T10A562S"],
  ["BSN", bsn, "111222333"],
  ["PESEL", pesel, "44051401359"],
  ["personnummer", personnummer, "8112189876"],
  ["TCKN", tckn, "10000000146"],
  ["CPF", cpf, "52998224725"],
  ["NIF", nif, "123456789"],
  ["My Number", myNumber, "123456789018"],
])(
  "the check of %s accepts a published example and refuses it with another digit",
  (_, check, known) => {
    expect(check(known)).toBe(true);
    expect(check(known.replace(/\d(?=\D*$)/, (d) => String((Number(d) + 1) % 10)))).toBe(false);
    expect(check(altered(known))).toBe(false);
  },
);

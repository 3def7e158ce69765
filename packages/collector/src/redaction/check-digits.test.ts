/** Check digits against published examples, and the errors that each check must notice. */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as check from "./check-digits.ts";

const luhn = (text: string): boolean => check.luhnRemainder(text) === 0;
const iban = (text: string): boolean => check.mod97(text.slice(4) + text.slice(0, 4)) === 1;

test.each([
  // Wikipedia, "Luhn algorithm"; test numbers of Visa, Mastercard and American Express.
  ["luhn", luhn, ["79927398713", "4111111111111111", "5555555555554444", "378282246310005"]],
  // SWIFT, IBAN registry.
  [
    "iban",
    iban,
    [
      "GB29NWBK60161331926819",
      "DE89370400440532013000",
      "FR1420041010050500013M02606",
      "NL91ABNA0417164300",
      "PL61109010140000071219812874",
      "SE4550000000058398257466",
      "TR330006100519786457841326",
      "BR9700360305000010009795493P1",
      "MT84MALT011000012345MTLCAST001S",
    ],
  ],
  // python-stdnum, stdnum.de.idnr; Wikipedia, "Steuerliche Identifikationsnummer".
  ["Steuer-ID", check.isSteuerId, ["36574261809", "86095742719"]],
  // Wikipedia, "PESEL"; python-stdnum, stdnum.pl.pesel.
  ["PESEL", check.isPesel, ["44051401359", "02070803628"]],
  // python-stdnum, stdnum.tr.tckimlik.
  ["TCKN", check.isTckn, ["17291716060", "10000000146"]],
  // python-stdnum, stdnum.br.cpf.
  ["CPF", check.isCpf, ["39053344705", "52998224725"]],
  // python-stdnum, stdnum.se.personnummer; Swedish Wikipedia, "Personnummer i Sverige".
  ["personnummer", check.isPersonnummer, ["8803200016", "8112289874"]],
  // Wikipedia, "Versicherungsnummer".
  ["SVNR", check.isSvnr, ["65170839J003"]],
  // python-stdnum, stdnum.fr.nir; French Wikipedia, "Numéro de sécurité sociale en France".
  [
    "NIR",
    check.isNir,
    ["295109912611193", "253072B07300470", "253072A07300443", "255081416802538"],
  ],
  // python-stdnum, stdnum.es.dni and stdnum.es.nie.
  ["DNI", check.isDni, ["54362315K", "12345678Z", "X2482300W"]],
] as const)("published numbers pass the check of %s", (_, isValid, numbers) => {
  expect(numbers.filter((number) => !isValid(number))).toEqual([]);
});

/** A published number with one digit changed. */
const mistyped = (number: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat({ max: number.length - 1 }), fc.integer({ min: 1, max: 9 }))
    .filter(([at]) => /\d/.test(number[at] ?? ""))
    .map(([at, by]) => {
      const digit = (Number(number[at]) + by) % 10;
      return number.slice(0, at) + String(digit) + number.slice(at + 1);
    });

test.each([
  ["luhn", luhn, "4111111111111111"],
  ["iban", iban, "DE89370400440532013000"],
  ["Steuer-ID", check.isSteuerId, "36574261809"],
  ["PESEL", check.isPesel, "44051401359"],
  ["TCKN", check.isTckn, "17291716060"],
  ["personnummer", check.isPersonnummer, "8803200016"],
  ["NIR", check.isNir, "295109912611193"],
  ["DNI", check.isDni, "54362315K"],
] as const)("the check of %s notices any one wrong digit", (_, isValid, number) => {
  fc.assert(fc.property(mistyped(number), (wrong) => !isValid(wrong)));
});

test("CPF numbers that the tax office would compute pass, and others do not", () => {
  // The rule as the Receita Federal states it: 11 minus the remainder, or 0 if the remainder is below 2.
  const digitFor = (digits: readonly number[]): number => {
    const rest = digits.reduce((sum, digit, at) => sum + digit * (digits.length + 1 - at), 0) % 11;
    return rest < 2 ? 0 : 11 - rest;
  };
  const nine = fc.array(fc.nat({ max: 9 }), { minLength: 9, maxLength: 9 });
  fc.assert(
    fc.property(nine, fc.nat({ max: 99 }), (digits, other) => {
      fc.pre(new Set(digits).size > 1);
      const first = digitFor(digits);
      const right = `${first}${digitFor([...digits, first])}`;
      const given = String(other).padStart(2, "0");
      expect(check.isCpf(digits.join("") + right)).toBe(true);
      expect(check.isCpf(digits.join("") + given)).toBe(given === right);
    }),
  );
});

test("numbers of equal digits are no CPF and no Steuer-ID", () => {
  expect(check.isCpf("11111111111")).toBe(false);
  expect(check.isSteuerId("11111111111")).toBe(false);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fault } from "../../../../test/fixtures/fault.ts";
import { isLong, skipOutside } from "../../../../test/fixtures/long.ts";
import { luhnRemainder } from "./check-digits.ts";
import { createRedactor } from "./redactor.ts";

const redactOnce = (text: string): string => createRedactor().redact(text);

describe("personal data is replaced", () => {
  test.each([
    ["write to ada.lovelace+shop@example.co.uk.", "write to [EMAIL_1]."],
    ["jürgen@müller.example or b@c.de", "[EMAIL_1] or [EMAIL_2]"],
    ["card 4111 1111 1111 1111 please", "card [CARD_1] please"],
    ["card 5555-5555-5555-4444, amex 378282246310005", "card [CARD_1], amex [CARD_2]"],
    ["ring +49 170 1234567 or 0049 30 901820.", "ring [PHONE_1] or [PHONE_2]."],
    ["+1 (415) 555-0132, (415) 555-0133, 415-555-0134", "[PHONE_1], [PHONE_2], [PHONE_3]"],
    ["0170 1234567, 030/1234567, 020 7946 0958", "[PHONE_1], [PHONE_2], [PHONE_3]"],
    ["01 23 45 67 89", "[PHONE_1]"],
    ["my phone is 01701234567", "my phone is [PHONE_1]"],
  ])("%s", (text, expected) => {
    expect(redactOnce(text)).toBe(expected);
  });
});

describe("prices, ids, dates and similar numbers are kept", () => {
  test.each([
    "a jacket under 80, or 79.99, or 1,299.00 EUR, or 1 299,00 €",
    "3 of these at 24.50 is 73.50",
    "product P-017, SKU 4006381333931, id 20261120",
    "order #4155550132, order 123-1234567-1234567, order number 4155550132",
    "invoice 2026-000123456 of 01.02.2026 12:00, 2026-11-20T17:10:01Z",
    "time 1763658720000 ms, size 10-12-14, ratio 0.123456789",
    "card-like 4111 1111 1111 1112 fails the checksum",
    "@handle costs 2@4.99",
    "+20.00 or +5 %",
  ])("%s", (text) => {
    expect(redactOnce(text)).toBe(text);
  });
});

test("equal values get the same placeholder across messages, different values different ones", () => {
  const redactor = createRedactor();
  expect(redactor.redact("a@example.com")).toBe("[EMAIL_1]");
  expect(redactor.redact("b@example.com and a@example.com")).toBe("[EMAIL_2] and [EMAIL_1]");
});

test("a page's own rules apply first and never match within placeholders", () => {
  const redactor = createRedactor({ rules: [{ type: "CUSTOMER_ID", pattern: /\d+/ }] });
  expect(redactor.redact("customer 77 is a@example.com")).toBe(
    "customer [CUSTOMER_ID_1] is [EMAIL_1]",
  );
  expect(redactor.redact("[EMAIL_1] again")).toBe("[EMAIL_1] again");
});

test("a rule with an invalid type is refused", () => {
  expect(() => createRedactor({ rules: [{ type: "customer id", pattern: /x/ }] })).toThrow(
    /upper-case letters/,
  );
});

test("a placeholder typed before it was issued stays literal, and its number is skipped", () => {
  const redactor = createRedactor();
  const text = "[EMAIL_1] means nothing, a@example.com does";
  expect(redactor.redact(text)).toBe("[EMAIL_1] means nothing, [EMAIL_2] does");
  expect(redactor.restore("[EMAIL_1] and [EMAIL_2]")).toBe("[EMAIL_1] and a@example.com");
});

test("a placeholder of another redactor is not restored", () => {
  createRedactor().redact("a@example.com");
  expect(createRedactor().restore("[EMAIL_1]")).toBe("[EMAIL_1]");
});

test("restored text is not searched for further placeholders", () => {
  const redactor = createRedactor({ rules: [{ type: "NOTE", pattern: /<.*?>/ }] });
  redactor.redact("a@example.com");
  // The restored value itself may look like a placeholder.
  expect(redactor.restore({ "[EMAIL_1]": ["[NOTE_9]", 3, null] })).toEqual({
    "a@example.com": ["[NOTE_9]", 3, null],
  });
});

test("redactJson redacts keys, strings and card numbers, and keeps other numbers", () => {
  const redactor = createRedactor();
  const value = { "a@example.com": 1, price: 79.99, card: 4111111111111111, at: 1763658720000 };
  const redacted = redactor.redactJson(value);
  expect(redacted).toEqual({ "[EMAIL_1]": 1, price: 79.99, card: "[CARD_1]", at: 1763658720000 });
});

describe("fields that are named like secrets", () => {
  test("their whole value is replaced, whatever it looks like", () => {
    const value = {
      password: "hunter",
      card: 4111_1111,
      user: { cardNumber: "12", cvv: 123, apiToken: ["a", "b"], "Account-Number": "77" },
      ssn: "x",
      accessToken: null,
      pin: "",
      secret: true,
    };
    const redactor = createRedactor();
    const redacted = redactor.redactJson(value);
    expect(redacted).toEqual({
      password: "[PASSWORD_1]",
      card: "[CARD_1]",
      user: {
        cardNumber: "[CARD_2]",
        cvv: "[PASSWORD_2]",
        apiToken: ["[API_KEY_1]", "[API_KEY_2]"],
        "Account-Number": "[IBAN_1]",
      },
      ssn: "[NATIONAL_ID_1]",
      accessToken: null,
      pin: "",
      secret: true,
    });
    expect(redactor.redactJson(redacted)).toEqual(redacted);
    // A number is a number again.
    expect(redactor.restore(redacted)).toEqual(value);
  });

  test("other fields keep their values", () => {
    const value = {
      tokens: 150,
      pageToken: "abc",
      card: 11,
      moved: { card: "the blue one", pan: 30 },
      spin: "left",
      passwordHint: "the dog",
      discard: "no",
      company: "Acme",
    };
    expect(createRedactor().redactJson(value)).toEqual(value);
  });

  test("the schema of a call's arguments can say that a field is secret", () => {
    const schema = {
      type: "object",
      properties: {
        phrase: { type: "string", format: "password" },
        list: { type: "array", items: { properties: { word: { format: "password" } } } },
      },
    };
    const value = { phrase: "sesame", list: [{ word: "open", pin: 7 }], word: "a@example.com" };
    expect(createRedactor().redactArguments(value, schema)).toEqual({
      phrase: "[PASSWORD_1]",
      list: [{ word: "[PASSWORD_2]", pin: "[PASSWORD_3]" }],
      // A model has read no other personal data, so it made this up.
      word: "a@example.com",
    });
  });
});

const fragment = fc.oneof(
  fc.constantFrom(
    "a@example.com",
    "ada@x.org",
    "+49 170 1234567",
    "4111 1111 1111 1111",
    "[EMAIL_1]",
    "[PHONE_2]",
    "[",
    "]",
    "_1",
    "EMAIL",
    " ",
    "#",
    "+",
    "00",
    "-",
    "phone ",
    "0170 1234567",
    "@",
    ".",
    "80",
    "7",
    "My name is Ada Lovelace",
    "password is a1!b",
    "\n",
    "12 High Street, London",
    "DE89370400440532013000",
  ),
  fc.string({ maxLength: 6 }),
);
const mixed = fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join(""));

test("redaction is idempotent on any text", () => {
  fc.assert(
    fc.property(fc.array(mixed, { minLength: 1, maxLength: 3 }), (texts) => {
      const redactor = createRedactor({ rules: [{ type: "NUMBER", pattern: /(?<=x)\d+/ }] });
      for (const text of texts) {
        const once = redactor.redact(text);
        expect(redactor.redact(once)).toBe(once);
      }
    }),
    { numRuns: 2000 },
  );
});

test("restore reverses redact", () => {
  fc.assert(
    fc.property(mixed, (text) => {
      const redactor = createRedactor();
      expect(redactor.restore(redactor.redact(text))).toBe(text);
    }),
    { numRuns: 2000 },
  );
});

test("an e-mail address is redacted in any surroundings", () => {
  fc.assert(
    fc.property(mixed, mixed, (before, after) => {
      expect(redactOnce(`${before} a@example.com ${after}`)).not.toContain(" a@example.com ");
    }),
  );
});

test("the Luhn checksum accepts exactly one last digit", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{13,18}$/), (digits) => {
      expect(
        Array.from("0123456789").filter((last) => luhnRemainder(digits + last) === 0),
      ).toHaveLength(1);
    }),
  );
});

/** The unit repeated up to this number of characters. */
const repeated = (unit: string, characters: number): string =>
  unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters);

/** Texts that nearly match a rule, or match it very often. */
const ADVERSARIAL: readonly string[] = [
  "+49 170 1234567, ",
  "415-555-0132 ",
  "0170 1234567, ",
  "01 23 45 67 89 ",
  "phone 1234567 ",
  "4111 1111 1111 1111 ",
  "4111 1111 1111 1112 ",
  "DE89 3704 0044 0532 0130 00 ",
  "tel ",
  "7",
  "00",
  "1-",
  "+1",
  "2 2-2.2/2(2)",
  "12 ",
  "@",
  "a",
  ".",
  "-",
  "+",
  "(",
  "[A",
  "[A_1",
  "ada@example.org ",
  "a@a.a.",
  "a.b@",
  `a@${"b.".repeat(8)}1`,
  "https://a.example/?q=1&b=2 ",
  "[EMAIL_1]",
  `${"x".repeat(64)}@${"b".repeat(63)}.`,
  "my name is ",
  "my name is Ada ",
  "Aa-",
  "12 High Street, ",
  "12 High ",
  "-----BEGIN PRIVATE KEY-----",
  "password is ",
  "eyJaaaaaaaaa.",
  "deliver to 1 A,",
  "Via Roma ",
  "://a:",
  "Mr. ",
  "A\n",
  "東京都",
  "token:",
  "password, a ",
  "Aa1-bc as a ",
  "account used ",
  "login -p ",
  "Ada Lovelace, ",
  "Ada Lovelace\n",
  "I, Ada Lovelace ",
  "deliver to 1 a st ",
  "street: 1 Aa\n",
  "京都市",
  "京都市1-",
  "と申し",
  "(045",
  "A1b2",
];

fault(
  "redaction takes time in proportion to the text",
  {
    item: "3.3",
    before: "100 KB of phone numbers took 7.6 s; each match read the whole rest again",
  },
  async () => {
    /** Number of characters that a rule without matches reads, per character of the text. */
    const readings = (unit: string, characters: number): number => {
      let read = 0;
      const accept = (): boolean => {
        read += 1;
        return false;
      };
      const rules = [{ type: "PROBE", pattern: /[^]/, accept }];
      createRedactor({ rules }).redact(repeated(unit, characters));
      return read / characters;
    };
    let maxReads = 0;
    for (const unit of ADVERSARIAL) {
      const sizes = isLong() ? [25_000, 50_000, 100_000, 200_000] : [12_500, 50_000];
      const shares = sizes.map((characters) => readings(unit, characters));
      maxReads = Math.max(maxReads, ...shares);
      expect({ unit, grows: (shares.at(-1) ?? 0) > 1.1 * (shares[0] ?? 0) }).toEqual({
        unit,
        grows: false,
      });
    }
    // Once for the rule itself, and again in the pieces between matches of other rules.
    expect(maxReads).toBeLessThanOrEqual(4);
    return {
      after: `each character is read at most ${maxReads.toFixed(1)} times by a rule, at 25 to ${isLong() ? 200 : 100} KB`,
    };
  },
);

test.for(ADVERSARIAL.map((unit, i) => [unit, i % 4 === 0] as const))(
  "redacting ten times as much of %j takes far less than a hundred times as long",
  ([unit, isSampled], context) => {
    skipOutside(isSampled, context);
    const milliseconds = (characters: number): number => {
      const text = repeated(unit, characters);
      const started = performance.now();
      redactOnce(text);
      return performance.now() - started;
    };
    milliseconds(10_000);
    // Linear time gives about 10 and quadratic time about 100. The fastest of ten rounds counts, since the machine may be busy.
    let fastest = Infinity;
    for (let round = 0; round < 10 && fastest > 40; round += 1) {
      const few = Math.max(milliseconds(10_000), 0.5);
      fastest = Math.min(fastest, milliseconds(100_000) / few);
    }
    expect(fastest).toBeLessThan(40);
  },
);

test("a rule that matches thousands of times at the end does not overflow the stack", () => {
  const redactor = createRedactor({ rules: [{ type: "TAIL", pattern: /a$/ }] });
  expect(redactor.redact("a".repeat(2_000))).toMatch(/^(?:\[TAIL_1\]){2000}$/);
});

/** A budget: the agent reads cells of a sheet, one row an account and one column a week, and plans amounts in others. */
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";

const numbers = (least: number, most: number) =>
  Array.from({ length: most - least + 1 }, (_, i) => least + i);
const ACCOUNTS = numbers(100, 999);
const WEEKS = numbers(10, 52);
const AMOUNTS = numbers(10, 99);

/** Amounts by `account/week`. */
type Sheet = { cells: { [cell: string]: number } };

const cellOf = (account: number, week: number) => `${account}/${week}`;

/** The account with the largest amount of a week. */
function highestOf({ cells }: Sheet, week: number): number | undefined {
  const own = Object.entries(cells).filter(([cell]) => cell.endsWith(`/${week}`));
  const [cell] = own.toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return cell === undefined ? undefined : Number(cell.split("/")[0]);
}

/** A request by what it leaves open. Training has the first three wordings of each list. */
const WORDINGS = {
  nothing: [
    ({ value, name, at }) => `Plan ${value} for ${name} in week ${at}.`,
    ({ value, name, at }) => `Week ${at}: ${name} gets ${value}.`,
    ({ value, name, at }) => `Set ${name} to ${value} in week ${at}.`,
    ({ value, name, at }) => `Set week ${at} of ${name} to ${value}.`,
    ({ value, name, at }) => `In week ${at}, plan ${value} for ${name}.`,
  ],
  amount: [
    ({ name, at, from }) => `Plan ${name} in week ${at} as in week ${from}.`,
    ({ name, at, from }) => `Week ${at}: ${name} gets what it has in week ${from}.`,
    ({ name, at, from }) => `Copy ${name} from week ${from} to week ${at}.`,
    ({ name, at, from }) => `Copy week ${from} of ${name} to week ${at}.`,
    ({ name, at, from }) => `As in week ${from}, plan ${name} in week ${at}.`,
  ],
} satisfies {
  [open: string]: ((slots: { value: number; name: string; at: number; from: number }) => string)[];
};
const TRAINED_WORDINGS = 3;

const account = { type: "integer", minimum: 100, maximum: 999 } as const;
const week = { type: "integer", minimum: 10, maximum: 52 } as const;

const budgetSheet: EnvironmentSpec = defineEnvironment({
  name: "budget-sheet",
  prompt: "You keep a budget.",
  levels: 3,
  tasks: ({ level, split, random, pick, ofSplit }) => {
    const drawn = (list: readonly number[], count: number) => {
      const left = [...ofSplit(list)];
      return Array.from({ length: count }, () => {
        return left.splice(Math.floor(random() * left.length), 1)[0] ?? 0;
      });
    };
    const accounts = drawn(ACCOUNTS, 4);
    const [from = 0, at = 0] = drawn(WEEKS, 2);
    const amounts = drawn(AMOUNTS, 9);
    const cells = Object.fromEntries(
      accounts.flatMap((each, i) => [
        [cellOf(each, from), amounts[2 * i] ?? 0],
        [cellOf(each, at), amounts[2 * i + 1] ?? 0],
      ]),
    );
    const sheet: Sheet = { cells };
    // At level 0 nothing must be looked up, at level 1 the account or the amount, at level 2 both.
    const asksAccount = level === 2 || (level === 1 && random() < 0.5);
    const asksAmount = level === 2 || (level === 1 && !asksAccount);
    const wanted = asksAccount ? (highestOf(sheet, from) ?? 0) : pick(accounts);
    const value = asksAmount ? (cells[cellOf(wanted, from)] ?? 0) : (amounts[8] ?? 0);
    const name = asksAccount ? `the highest of week ${from}` : `${wanted}`;
    const open = asksAmount ? "amount" : "nothing";
    const wording = pick(numbers(1, split === "train" ? TRAINED_WORDINGS : WORDINGS[open].length));
    return {
      request: WORDINGS[open][wording - 1]?.({ value, name, at, from }) ?? "",
      pattern: `${open} ${asksAccount ? "of the highest " : ""}${wording}`,
      values: [
        at,
        ...(asksAccount || asksAmount ? [from] : []),
        ...(asksAccount ? [] : [wanted]),
        ...(asksAmount ? [] : [value]),
      ],
      state: sheet,
      // `verify` sees the sheet only after the tools changed it.
      data: { asksAccount, asksAmount, from, at, wanted, value, before: { ...cells } },
    };
  },
  tools: {
    read: {
      description: "Amount of an account in a week.",
      parameters: {
        type: "object",
        properties: { account, week },
        required: ["account", "week"],
        additionalProperties: false,
      },
      run: (cell, { cells }) => {
        const amount = cells[cellOf(cell.account, cell.week)];
        if (amount === undefined) throw new Error("no amount");
        return amount;
      },
    },
    highest: {
      description: "The highest account of a week.",
      parameters: {
        type: "object",
        properties: { week },
        required: ["week"],
        additionalProperties: false,
      },
      run: (column, sheet) => {
        const found = highestOf(sheet, column.week);
        if (found === undefined) throw new Error("no amounts");
        return found;
      },
    },
    write: {
      description: "Set an amount.",
      parameters: {
        type: "object",
        properties: { account, week, amount: { type: "integer", minimum: 0, maximum: 99 } },
        required: ["account", "week", "amount"],
        additionalProperties: false,
      },
      run: (cell, { cells }) => {
        cells[cellOf(cell.account, cell.week)] = cell.amount;
        return "saved";
      },
    },
  },
  verify: ({ state: { cells }, data: { at, wanted, value, before } }) => {
    const planned = cellOf(wanted, at);
    const isPlanned = cells[planned] === value;
    const changed = Object.keys(cells).filter(
      (cell) => cell !== planned && cells[cell] !== before[cell],
    );
    return {
      success: isPlanned && changed.length === 0,
      reward: !isPlanned ? 0 : changed.length === 0 ? 1 : 0.5,
      reasons: [
        isPlanned ? "right amount" : `${planned} must be ${value}`,
        changed.length === 0 ? "nothing else changed" : `also changed: ${changed.join(", ")}`,
      ],
    };
  },
  *demonstrate({ data: { asksAccount, asksAmount, from, at, wanted, value } }) {
    let found: number = wanted;
    if (asksAccount) ({ value: found } = yield ["highest", { week: from }]);
    let amount = value;
    if (asksAmount) ({ value: amount } = yield ["read", { account: found, week: from }]);
    yield ["write", { account: found, week: at, amount }];
    return "Done.";
  },
  nearMiss: ({ data: { from, at, wanted, value } }) => {
    const right = ["write", { account: wanted, week: at, amount: value }] as const;
    return [
      ["Done."],
      [["write", { account: wanted, week: from, amount: value }], "Done."],
      [["write", { account: wanted, week: at, amount: value === 99 ? 98 : value + 1 }], "Done."],
      [right, ["write", { account: wanted, week: from, amount: 0 }], "Done."],
    ];
  },
});
export default budgetSheet;

/** A household budget: the agent reads cells of a sheet and plans amounts in others. */
import { defineEnvironment, type EnvironmentSpec } from "@waggle/agent/define";

const ITEMS = ["rent", "food", "travel", "heating", "phone", "school", "garden", "gifts"] as const;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct"] as const;
type Item = (typeof ITEMS)[number];
type Month = (typeof MONTHS)[number];

/** Amounts by month and item, all of them different. */
type Sheet = { [month in Month]: { [item in Item]: number } };

function highestOf(amounts: Sheet[Month]): Item {
  return ITEMS.reduce((most, each) => (amounts[each] > amounts[most] ? each : most));
}

const item = { enum: ITEMS } as const;
const month = { enum: MONTHS } as const;

const budgetSheet: EnvironmentSpec = defineEnvironment({
  name: "budget-sheet",
  prompt: "You keep a budget.",
  levels: 3,
  tasks: ({ level, random, pick }) => {
    const amounts = Array.from({ length: 90 }, (_, i) => 10 + i);
    const amount = () => amounts.splice(Math.floor(random() * amounts.length), 1)[0] ?? 0;
    const sheet = Object.fromEntries(
      MONTHS.map((each) => [each, Object.fromEntries(ITEMS.map((name) => [name, amount()]))]),
    ) as Sheet;
    const from = pick(MONTHS);
    const to = pick(MONTHS.filter((each) => each !== from));
    // At level 0 nothing must be looked up, at level 1 the item or the amount, at level 2 both.
    const asksItem = level === 2 || (level === 1 && random() < 0.5);
    const asksAmount = level === 2 || (level === 1 && !asksItem);
    const wanted = asksItem ? highestOf(sheet[from]) : pick(ITEMS);
    const value = asksAmount ? sheet[from][wanted] : amount();
    const at = asksItem && !asksAmount ? from : to;
    const name = asksItem ? `the highest item of ${from}` : wanted;
    const request = asksAmount
      ? `Plan ${name} in ${at} as in ${from}.`
      : asksItem
        ? `Cut ${name} to ${value}.`
        : `Plan ${value} for ${name} in ${at}.`;
    // `verify` sees the sheet only after the tools changed it.
    const before = structuredClone(sheet);
    const data = { asksItem, asksAmount, from, at, wanted, value, before };
    return { request, state: sheet, data };
  },
  tools: {
    read: {
      description: "Amount of an item in a month.",
      parameters: {
        type: "object",
        properties: { item, month },
        required: ["item", "month"],
        additionalProperties: false,
      },
      run: (cell, sheet) => sheet[cell.month][cell.item],
    },
    highest: {
      description: "The highest item of a month.",
      parameters: {
        type: "object",
        properties: { month },
        required: ["month"],
        additionalProperties: false,
      },
      run: (column, sheet) => highestOf(sheet[column.month]),
    },
    write: {
      description: "Set an amount.",
      parameters: {
        type: "object",
        properties: { item, month, amount: { type: "integer", minimum: 0, maximum: 99 } },
        required: ["item", "month", "amount"],
        additionalProperties: false,
      },
      run: (cell, sheet) => {
        sheet[cell.month][cell.item] = cell.amount;
        return "saved";
      },
    },
  },
  verify: ({ state, data: { at, wanted, value, before } }) => {
    const isPlanned = state[at][wanted] === value;
    const changed = MONTHS.flatMap((each) =>
      ITEMS.filter((name) => state[each][name] !== before[each][name]).map(
        (name) => `${name} in ${each}`,
      ),
    ).filter((cell) => cell !== `${wanted} in ${at}`);
    return {
      success: isPlanned && changed.length === 0,
      reward: !isPlanned ? 0 : changed.length === 0 ? 1 : 0.5,
      reasons: [
        isPlanned ? "right amount" : `${wanted} in ${at} must be ${value}`,
        changed.length === 0 ? "nothing else changed" : `also changed: ${changed.join(", ")}`,
      ],
    };
  },
  *demonstrate({ data: { asksItem, asksAmount, from, at, wanted, value } }) {
    let name: string = wanted;
    if (asksItem) ({ value: name } = yield ["highest", { month: from }]);
    let amount = value;
    if (asksAmount) ({ value: amount } = yield ["read", { item: name, month: from }]);
    yield ["write", { item: name, month: at, amount }];
    return "Done.";
  },
  nearMiss: ({ data: { from, at, wanted, value } }) => {
    const other = MONTHS.find((each) => each !== from && each !== at);
    const right = ["write", { item: wanted, month: at, amount: value }] as const;
    return [
      ["Done."],
      [["write", { item: wanted, month: other, amount: value }], "Done."],
      [["write", { item: wanted, month: at, amount: value + 1 }], "Done."],
      [right, ["write", { item: wanted, month: other, amount: 0 }], "Done."],
    ];
  },
});
export default budgetSheet;

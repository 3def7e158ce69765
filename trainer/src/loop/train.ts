/**
 * The training loop: items come from a source, a check holds those that may be learned from, an update
 * learns from a batch of them, a sink keeps the result. Training from an edge, from local rollouts and from
 * datasets are configurations of it. It knows no algorithm, no format and no transport.
 */
export type Source<Item> = {
  /**
   * The next item, or `null` if there is none now.
   * @param wanted - items that the next batch still lacks, at least 1.
   */
  readonly next: (wanted: number) => Promise<Item | null>;
};

export type Check<Item, Batch> = {
  /** Judges an item and holds what may be learned from. */
  readonly admit: (item: Item) => Promise<void>;
  /** Whether a step is to be taken from what is held now. */
  readonly isDue: () => Promise<boolean>;
  /** Hands a due batch over; `null` if part of it was lost meanwhile. */
  readonly batch: () => Promise<Batch | null>;
  /** Items that the batch still lacks. */
  readonly wanted: () => number;
};

export type Update<Batch, Learned> = (batch: Batch) => Promise<Learned>;

export type Sink<Batch, Learned> = {
  /** Finishes what earlier steps left to do, before anything else. True = look again. */
  readonly settle?: () => Promise<boolean>;
  /** Keeps what was learned. */
  readonly keep: (learned: Learned, batch: Batch) => Promise<void>;
};

export type Training<Item, Batch, Learned> = {
  readonly source: Source<Item>;
  readonly check: Check<Item, Batch>;
  readonly update: Update<Batch, Learned>;
  readonly sink: Sink<Batch, Learned>;
};

export type LoopControl<Stop> = {
  /** Why the loop ends before its next move; `null` = it goes on. May throw. */
  readonly stop: () => Stop | null;
  /** Called after each move: whether there was something to do. */
  readonly moved?: (hadWork: boolean) => Promise<void>;
  /** Returns if the loop goes on after this error; default: every error ends it. */
  readonly recover?: (error: unknown) => Promise<void>;
};

/** @returns why it ended. */
export async function train<Item, Batch, Learned, Stop>(
  training: Training<Item, Batch, Learned>,
  { stop, moved, recover }: LoopControl<Stop>,
): Promise<Stop> {
  for (;;) {
    const reason = stop();
    if (reason !== null) return reason;
    try {
      const hadWork = await move(training);
      await moved?.(hadWork);
    } catch (error) {
      if (recover === undefined) throw error;
      await recover(error);
    }
  }
}

/** The first of these that there is to do. False if there is nothing. */
async function move<Item, Batch, Learned>({
  source,
  check,
  update,
  sink,
}: Training<Item, Batch, Learned>): Promise<boolean> {
  if ((await sink.settle?.()) === true) return true;
  if (await check.isDue()) {
    const batch = await check.batch();
    if (batch !== null) await sink.keep(await update(batch), batch);
    return true;
  }
  const item = await source.next(check.wanted());
  if (item === null) return false;
  await check.admit(item);
  return true;
}

/** For items that need no judging: each one is a batch. */
export function unchecked<Item>(): Check<Item, Item> {
  let held: { readonly item: Item } | null = null;
  return {
    admit: async (item) => {
      held = { item };
    },
    isDue: async () => held !== null,
    batch: async () => {
      const batch = held?.item ?? null;
      held = null;
      return batch;
    },
    wanted: () => 1,
  };
}

/**
 * The training loop: a source supplies items, a check collects those that can be trained on, an update
 * trains on a batch, and a sink stores the result. Training from an edge, from local rollouts and from
 * datasets are configurations of it. It contains no algorithm, data format or transport.
 */
export type Source<Item> = {
  /**
   * The next item, or `null` if there is none now.
   * @param wanted - items that the next batch still lacks, at least 1.
   */
  readonly next: (wanted: number) => Promise<Item | null>;
};

/** Collects items into batches. */
export type Check<Item, Batch> = {
  /** Judges an item and adds it to the batch if it can be trained on. */
  readonly admit: (item: Item) => Promise<void>;
  /** Whether a step is due for the items collected so far. */
  readonly isDue: () => Promise<boolean>;
  /** Hands over a due batch; `null` if part of it was lost meanwhile. */
  readonly batch: () => Promise<Batch | null>;
  /** Items that the batch still lacks. */
  readonly wanted: () => number;
};

/** Trains on a batch and returns what it learned. */
export type Update<Batch, Learned> = (batch: Batch) => Promise<Learned>;

/** Stores what was learned. */
export type Sink<Batch, Learned> = {
  /** Finishes work left by earlier steps, before anything else. True = call again. */
  readonly settle?: () => Promise<boolean>;
  /** Stores the result of a step. */
  readonly keep: (learned: Learned, batch: Batch) => Promise<void>;
};

/** The four parts of a training loop. */
export type Training<Item, Batch, Learned> = {
  readonly source: Source<Item>;
  readonly check: Check<Item, Batch>;
  readonly update: Update<Batch, Learned>;
  readonly sink: Sink<Batch, Learned>;
};

/** Controls when the loop stops, waits and recovers. */
export type LoopControl<Stop> = {
  /** Why the loop ends before its next move; `null` = continue. May throw. */
  readonly stop: () => Stop | null;
  /** Called after each move with whether there was work to do. */
  readonly moved?: (hadWork: boolean) => Promise<void>;
  /** Returns to continue after this error; default: every error ends the loop. */
  readonly recover?: (error: unknown) => Promise<void>;
};

/**
 * Runs the loop.
 * @returns why it ended.
 */
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

/**
 * Does the first of these that is due.
 * @returns false if there was nothing to do.
 */
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

/** A check that accepts every item as a batch of its own. */
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

/** Where consumers store how far they have come. `Tx`: a transaction, as effects use it. */
export type ConsumerStore<Tx> = {
  /** The cursor of a consumer; null for a new one. */
  load(name: string): Promise<string | null>;
  /**
   * Replaces the cursor and runs the effect in one transaction. If the cursor is not `from` any more, another worker
   * has moved it: then nothing happens.
   * @returns whether the cursor was replaced
   */
  advance(name: string, from: string | null, to: string, effect: (tx: Tx) => Promise<void>): Promise<boolean>;
};

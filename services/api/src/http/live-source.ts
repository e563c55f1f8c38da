/** An event of the log that a live stream has to take into account. `at`: when it was committed. */
export type Seen = { position: bigint; at: number };

/** What a live stream sends. Places are texts that never leave the process; clients get them as cursors. */
export type LiveSource = {
  /** Streams with the same key read the same, so they share their reads. */
  key: string;
  /** Waits until `read` finds everything up to a position of the log. */
  reached(position: bigint): Promise<'reached' | 'behind'>;
  /** What comes after a place, in order. `seen`: the newest event of the project, which `read` finds; null at first. */
  read(place: string, seen: Seen | null): Promise<LivePage>;
  toCursor(place: string): Promise<string>;
  /**
   * When there may be something after a place without a new event, in milliseconds since 1970. If that is over, but
   * nothing was found yet, streams look every second.
   */
  nextLookAt?(place: string): number;
};
/** `next`: the place after the items, and after what the filters left out. `hasMore`: read on at once. */
export type LivePage = { items: readonly { cursor: string; data: unknown }[]; next: string; hasMore: boolean };

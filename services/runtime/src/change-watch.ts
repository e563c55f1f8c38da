import type { Listener } from './listener.ts';

export type ChangeWatch = {
  /**
   * Whether something may have changed since the last call: a notification came, the last call was long ago, or no
   * notifications arrive. Call it before you look, so that a change during the look is seen by the next one.
   */
  mayHaveChanged(): boolean;
  close(): Promise<void>;
};

/** A notification can be lost without the connection. Random, so that those who look don't look at the same time. */
const longestQuietMs = () => 5_000 + Math.random() * 2_500;

/** Spares looks at tables that announce their changes. Without a listener, every look is needed. */
export async function createChangeWatch(
  listener: Listener | undefined,
  channels: readonly string[],
): Promise<ChangeWatch> {
  let isListening = false;
  let isAnnounced = false;
  let quietUntil = Number.NEGATIVE_INFINITY;
  const announce = () => {
    isAnnounced = true;
  };
  const stops: (() => Promise<void>)[] = [];
  const resume = () => {
    isListening = stops.length === channels.length;
    isAnnounced = true;
  };
  const lose = () => {
    isListening = false;
  };
  if (listener) {
    try {
      for (const channel of channels) stops.push(await listener.listen(channel, announce, resume, lose));
      resume();
    } catch {
      // The database is unavailable, so those who look go on at their usual pace.
    }
  }
  return {
    mayHaveChanged: () => {
      if (isListening && !isAnnounced && performance.now() < quietUntil) return false;
      isAnnounced = false;
      quietUntil = performance.now() + longestQuietMs();
      return true;
    },
    close: async () => void (await Promise.all(stops.map((stop) => stop()))),
  };
}

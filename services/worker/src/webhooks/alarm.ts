import type { Listener } from '@gatebook/runtime/listener';

/** Wakes a loop that waits for work. */
export type Alarm = {
  ring(): void;
  /** Resolves after `ms`, or when it rings; at once if it has since the last call, or if the signal is aborted. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

/** Also rings at notifications on these channels, and when some may have been lost. */
export async function createAlarm(listener: Listener | undefined, channels: readonly string[]): Promise<Alarm> {
  let hasRung = false;
  let wake: (() => void) | null = null;
  const ring = () => {
    hasRung = true;
    wake?.();
  };
  const stops = await Promise.all(channels.map((channel) => listener?.listen(channel, ring, ring)));
  return {
    ring,
    next: async (ms, signal) => {
      if (!hasRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(ring, ms);
          signal.addEventListener('abort', ring, { once: true });
          wake = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', ring);
            resolve();
          };
        });
      }
      wake = null;
      hasRung = false;
    },
    close: async () => void (await Promise.all(stops.map((stop) => stop?.()))),
  };
}

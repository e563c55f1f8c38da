/** More waiting requests than this, under one counter, are rejected. */
const maxWaiting = 1_000;

export type OpenSlots = {
  /** A request took a slot and is being handled. */
  open(key: string): void;
  /** The request is answered; its slot is returned or used up. */
  settle(key: string): void;
  /** Resolves with true when a slot was settled, so that taking one makes sense again; with false if none is open. */
  nextSettled(key: string): Promise<boolean>;
};

/**
 * Slots of requests that this process is handling. A counter that is full of such requests is not over its limit yet:
 * all of them may succeed. So a burst of correct passwords waits, instead of being rejected like a burst of guesses.
 */
export function createOpenSlots(): OpenSlots {
  const slots = new Map<string, { open: number; waiting: (() => void)[] }>();
  return {
    open: (key) => {
      const slot = slots.get(key) ?? { open: 0, waiting: [] };
      slot.open += 1;
      slots.set(key, slot);
    },
    settle: (key) => {
      const slot = slots.get(key);
      if (!slot) return;
      slot.open -= 1;
      if (slot.open === 0) slots.delete(key);
      // The last one wakes all: nobody else would.
      const woken = slot.waiting.splice(0, slot.open === 0 ? slot.waiting.length : 1);
      for (const wake of woken) wake();
    },
    nextSettled: async (key) => {
      const slot = slots.get(key);
      if (!slot || slot.waiting.length >= maxWaiting) return false;
      await new Promise<void>((wake) => slot.waiting.push(wake));
      return true;
    },
  };
}

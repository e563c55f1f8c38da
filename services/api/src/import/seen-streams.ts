import { createHash } from 'node:crypto';
import type { DryRun } from '@gatebook/commands/user/import-users';

const firstCapacity = 1 << 16;

/** Names of streams as 53 bits of a hash, in an open-addressing table: about 20 bytes each. */
export function createSeenStreams(): DryRun {
  let slots = new Float64Array(firstCapacity);
  let size = 0;

  /** @returns where the hash is, or where it belongs */
  function slotOf(hash: number, table: Float64Array): number {
    let slot = hash % table.length;
    while (table[slot] !== 0 && table[slot] !== hash) slot = (slot + 1) % table.length;
    return slot;
  }

  function grow(): void {
    const larger = new Float64Array(slots.length * 2);
    for (const hash of slots) if (hash !== 0) larger[slotOf(hash, larger)] = hash;
    slots = larger;
  }

  return {
    has: (stream) => slots[slotOf(hashOf(stream), slots)] !== 0,
    add: (stream) => {
      const hash = hashOf(stream);
      const slot = slotOf(hash, slots);
      if (slots[slot] === hash) return;
      slots[slot] = hash;
      size += 1;
      if (size * 2 > slots.length) grow();
    },
  };
}

/** Never 0, which marks a free slot. */
const hashOf = (text: string) => createHash('sha1').update(text).digest().readUIntBE(0, 6) + 1;

import { createLruCache } from '@gatebook/runtime/lru-cache';

/**
 * Who goes first when passwords wait to be hashed, lowest first: networks from which a password matched, those of which
 * nothing is known, and those from which more failed than matched, by how many. Three or more are the last.
 */
export const ranks = { known: 0, unknown: 1, last: 4 } as const;

const failuresRememberedMs = 5 * 60_000;
const matchRememberedMs = 24 * 60 * 60_000;
/** For each kind: about 2 MB. */
const maxNetworks = 10_000;

export type NetworkRanks = {
  /** Notes whether a password from a network matched. */
  note(network: string, isMatch: boolean): void;
  rankOf(network: string): number;
};

/** An app server with more correct passwords than wrong ones is never a suspect, however many users it has. */
export function createNetworkRanks(nowMs: () => number = () => performance.now()): NetworkRanks {
  /** Many failures forget those of other networks, but no matches. */
  const failing = createLruCache<{ failures: number; until: number }>(maxNetworks);
  const matching = createLruCache<{ until: number }>(maxNetworks);

  function failuresOf(network: string): number {
    const found = failing.get(network);
    return found && found.until > nowMs() ? found.failures : 0;
  }

  return {
    note: (network, isMatch) => {
      const failures = failuresOf(network);
      if (!isMatch) {
        failing.set(network, { failures: failures + 1, until: nowMs() + failuresRememberedMs }, 1);
        return;
      }
      matching.set(network, { until: nowMs() + matchRememberedMs }, 1);
      const left = failing.get(network);
      if (left && failures > 1) failing.set(network, { ...left, failures: failures - 1 }, 1);
      else failing.delete(network);
    },
    rankOf: (network) => {
      const failures = failuresOf(network);
      if (failures > 0) return Math.min(ranks.unknown + failures, ranks.last);
      return (matching.get(network)?.until ?? 0) > nowMs() ? ranks.known : ranks.unknown;
    },
  };
}

/** The excess of failures over matches that makes a suspect: a person may mistype twice. */
const suspectFrom = 3;
const rememberedMs = 5 * 60_000;
/** About 2 MB. The network whose last failure is the oldest is forgotten first. */
const maxNetworks = 10_000;

export type Suspects = {
  /** Notes whether a password from a network matched. */
  note(network: string, isMatch: boolean): void;
  has(network: string): boolean;
};

/** Networks from which more passwords failed than matched. One with many users, such as an app server, is none. */
export function createSuspects(nowMs: () => number = () => performance.now()): Suspects {
  /** The one that failed last comes last. */
  const networks = new Map<string, { failures: number; until: number }>();

  function currentOf(network: string): number {
    const found = networks.get(network);
    return found && found.until > nowMs() ? found.failures : 0;
  }

  return {
    note: (network, isMatch) => {
      const failures = Math.max(0, currentOf(network) + (isMatch ? -1 : 1));
      const until = isMatch ? (networks.get(network)?.until ?? 0) : nowMs() + rememberedMs;
      networks.delete(network);
      if (failures > 0) networks.set(network, { failures, until });
      const [oldest] = networks.keys();
      if (networks.size > maxNetworks && oldest !== undefined) networks.delete(oldest);
    },
    has: (network) => currentOf(network) >= suspectFrom,
  };
}

import type { Network } from './network.ts';

/**
 * Reads are answered as of `moment`: milliseconds since 1970, or the ID of an event; null: now. @throws Error for
 * writes, and if the server does not know the past
 */
export const networkAsOf = (network: Network, moment: string | null): Network => ({
  ...network,
  fetch: async (url, init) => {
    if (init?.method !== 'GET') throw new Error('The past is read-only. Return to now to make changes.');
    if (moment === null) return network.fetch(url, init);
    const asked = new URL(url as string);
    // A moment of a moment: the one that was chosen last counts.
    if (!asked.searchParams.has('as_of')) asked.searchParams.set('as_of', moment);
    const response = await network.fetch(asked.href, init);
    const { headers } = response;
    // Servers that do not know the past ignore the parameter. Known errors have status 200.
    if (response.ok && !headers.has('x-as-of-event-id') && !headers.has('x-stack-known-error')) {
      throw new Error('The server answered with the present state, because it does not know the past.');
    }
    return response;
  },
});

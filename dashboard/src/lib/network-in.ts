import type { Network } from '@gatebook/js/core';
import type { Language } from './language.ts';

/** Asks for answers in a language: the one of the dashboard can differ from that of the browser. */
export const networkIn = (language: Language, network: Network): Network => ({
  ...network,
  fetch: (url, init) => {
    const headers = new Headers(init.headers);
    headers.set('accept-language', language);
    return network.fetch(url, { ...init, headers });
  },
});

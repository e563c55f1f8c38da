import { realNetwork } from '@gatebook/js/core';
import { expect, test } from 'vitest';
import { networkIn } from './network-in.ts';

test('requests name the language of the dashboard, and keep their own headers', async () => {
  const sent: RequestInit[] = [];
  const network = {
    ...realNetwork,
    fetch: async (_url: string, init: RequestInit) => {
      sent.push(init);
      return new Response();
    },
  };
  await networkIn('de', network).fetch('/x', { method: 'PUT', headers: { 'x-stack-project-id': 'p' } });
  expect(sent.map(({ method, headers }) => [method, Object.fromEntries(new Headers(headers))])).toEqual([
    ['PUT', { 'accept-language': 'de', 'x-stack-project-id': 'p' }],
  ]);
});

import { expect, test } from 'vitest';
import { groupProfile } from './profile-groups.ts';

const frame = (functionName: string, url = '') => ({ functionName, url });
const nodes = [
  { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 9] },
  { id: 2, callFrame: frame('(idle)') },
  { id: 3, callFrame: frame('(garbage collector)') },
  { id: 4, callFrame: frame('handle', 'file:///app/services/api/src/http/hooks.ts'), children: [5, 6, 7] },
  { id: 5, callFrame: frame('query', 'file:///app/node_modules/pg/lib/client.js'), children: [8] },
  { id: 6, callFrame: frame('stringify') },
  { id: 7, callFrame: frame('encode', 'file:///app/node_modules/@node-rs/argon2/index.js') },
  { id: 8, callFrame: frame('writeUtf8String') },
  { id: 9, callFrame: frame('signOneShot', 'node:internal/crypto/sig') },
];

test('own time counts for the file of a function, and that of functions without a file for their caller', () => {
  const profile = { nodes, samples: [4, 5, 6, 7], timeDeltas: [1_000, 2_000, 4_000, 8_000] };
  expect(Object.fromEntries(groupProfile(profile))).toEqual({
    'services/api: http': 5,
    'node_modules/pg': 2,
    'node_modules/@node-rs/argon2': 8,
  });
});

test('sockets, crypto and garbage collection are groups; waiting is left out', () => {
  const profile = { nodes, samples: [2, 3, 8, 9], timeDeltas: [9_000, 1_000, 2_000, 3_000] };
  expect(Object.fromEntries(groupProfile(profile))).toEqual({
    'garbage collection': 1,
    'sockets and HTTP': 2,
    crypto: 3,
  });
});

import { expect, test } from 'vitest';
import { inWords } from './audit-texts.ts';

test('names of fields read as words', () => {
  const names = ['displayName', 'allowUserApiKeys', 'oauthProviders', 'idea'];
  expect(names.map(inWords)).toEqual(['display name', 'allow user API keys', 'OAuth providers', 'idea']);
});

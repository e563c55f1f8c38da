import { expect, test } from 'vitest';
import { findImpersonation, startImpersonation } from './impersonation.ts';
import { createSession } from './session.ts';
import { createMemoryTokenStore } from './token-store/memory.ts';

const now = Date.parse('2026-01-15T12:00:00Z');
const endsAt = now / 1_000 + 900;
const tokenWith = (claims: object) => `.${btoa(JSON.stringify({ exp: endsAt, sub: 'u1', ...claims }))}.`;
const impersonating = tokenWith({
  is_impersonation: true,
  impersonation_ends_at: endsAt,
  name: null,
  email: 'a@b.example',
});

function sessionWith(granted: string) {
  const store = createMemoryTokenStore();
  store.write({ accessToken: tokenWith({ is_impersonation: false }), refreshToken: 'own' });
  return createSession(
    store,
    async () => granted,
    () => now,
  );
}

test('an impersonation takes the place of the current session, and names the user and its end', async () => {
  const session = sessionWith(impersonating);
  expect(await findImpersonation(session)).toBeNull();
  await startImpersonation(session, 'theirs');
  expect(await findImpersonation(session)).toEqual({ name: 'a@b.example', endsAt: new Date(endsAt * 1_000) });
  expect((await session.tokens())?.refreshToken).toBe('theirs');
});

test.each([
  ['that has ended', 'rejected'],
  ['that is none of an impersonator', tokenWith({ is_impersonation: false })],
])('a session %s is not adopted, and the current one stays', async (_, granted) => {
  const session = sessionWith(granted);
  await expect(startImpersonation(session, 'theirs')).rejects.toThrow('has ended');
  expect((await session.tokens())?.refreshToken).toBe('own');
});

import { createPasswordHasher } from '@gatebook/commands/password/password-hashing';
import { expect, test } from 'vitest';
import { createProject, newEmail, password, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const hasher = await createPasswordHasher();
const { send } = await startSuite({ overrides: () => ({ hasher }) });
const project = await createProject(send, { config: { magic_link_enabled: true } });

/** Sign-in codes go to verified addresses only. */
async function verifiedUser(): Promise<{ email: string }> {
  const { email, userId } = await signUp(send, project);
  const body = { primary_email_verified: true };
  await send('PATCH', `/users/${userId}`, { ...project, access: 'server', body });
  return { email };
}

const tries = 15;
const callback_url = 'http://localhost/page';

/** Medians in milliseconds; known and unknown take turns, so that a busy moment hits both. */
async function medians(path: string, bodies: { known: () => unknown; unknown: () => unknown }) {
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let nth = 0; nth < tries; nth += 1) {
    for (const kind of ['known', 'unknown'] as const) {
      const started = performance.now();
      await send('POST', path, { ...project, access: 'server', body: bodies[kind]() });
      times[kind].push(performance.now() - started);
    }
  }
  const middle = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(tries / 2)] ?? 0;
  return { known: middle(times.known), unknown: middle(times.unknown) };
}

test.each([
  ['a wrong password', '/auth/password/sign-in', (email: string) => ({ email, password: 'not the password' })],
  ['a reset', '/auth/password/send-reset-code', (email: string) => ({ email, callback_url })],
  ['a sign-in code', '/auth/otp/send-sign-in-code', (email: string) => ({ email, callback_url })],
])('the time of %s does not reveal whether an address is known', async (_, path, bodyOf) => {
  const { email } = await verifiedUser();
  const { known, unknown } = await medians(path, { known: () => bodyOf(email), unknown: () => bodyOf(newEmail()) });
  expect(Math.abs(known - unknown) / Math.max(known, unknown)).toBeLessThan(0.25);
});

/**
 * A fixed time hides what a median of few requests does not show: that the two kinds do not do exactly the same work.
 */
test.each([
  ['a reset', '/auth/password/send-reset-code'],
  ['a sign-in code', '/auth/otp/send-sign-in-code'],
])('a response to %s waits for a fixed time, for known and unknown addresses', async (_, path) => {
  const { email } = await verifiedUser();
  for (const address of [email, newEmail()]) {
    const started = performance.now();
    await send('POST', path, { ...project, access: 'server', body: { email: address, callback_url } });
    expect(performance.now() - started).toBeGreaterThan(99);
  }
});

test.each([
  ['a wrong password', '/auth/password/sign-in', (email: string) => ({ email, password: `${password}!` })],
  ['a reset', '/auth/password/send-reset-code', (email: string) => ({ email, callback_url })],
])('status, body and headers of %s do not reveal whether an address is known', async (_, path, bodyOf) => {
  const { email } = await signUp(send, project);
  const answers = [];
  for (const address of [email, newEmail()]) {
    const { status, text, headers } = await send('POST', path, { ...project, body: bodyOf(address) });
    answers.push({ status, text, headers: { ...headers, 'x-stack-request-id': '', date: '' } });
  }
  expect(answers[0]).toEqual(answers[1]);
});

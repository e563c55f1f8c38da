import { readFileSync } from 'node:fs';
import { createLookupHash } from '@gatebook/eventlog/encryption/lookup-hash';
import { expect, test, vi } from 'vitest';
import { startTestApi } from '../testing/api.ts';
import { newEmail, password, senderOf, signUp } from '../testing/requests.ts';
import { startSuite } from '../testing/suite.ts';

// Each guess is hashed in earnest.
const { api, send } = await startSuite({ rateLimits: true, trustedProxies: ['loopback'] });

const chrome = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36' };
const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0' };
const from = (address: string) => ({ 'x-forwarded-for': address });
const signIn = (email: string, tried: string, headers: Record<string, string>) =>
  send('POST', '/auth/password/sign-in', { body: { email, password: tried }, headers });

test('sixty wrong passwords from many addresses do not lock out the user on a known device', async () => {
  const { email, refreshToken } = await signUp(send, { headers: { ...chrome, ...from('192.0.2.1') } });
  for (let guess = 0; guess < 80; guess += 1) {
    const { status } = await signIn(email, 'wrong password', { ...firefox, ...from(`203.0.113.${guess}`) });
    expect(status).toBe(guess < 60 ? 400 : 429);
  }
  // The right password opens nothing for a stranger who guesses on.
  expect((await signIn(email, password, { ...firefox, ...from('203.0.113.99') })).status).toBe(429);
  expect((await signIn(email, password, { ...firefox, ...from('192.0.2.1') })).status).toBe(429);
  expect((await signIn(email, password, { ...chrome, ...from('198.51.100.1') })).status).toBe(429);
  expect((await signIn(email, password, { ...chrome, ...from('192.0.2.200') })).status).toBe(200);
  // A program without a fixed address sends its session.
  const withSession = { ...from('198.51.100.2'), 'x-stack-refresh-token': refreshToken };
  expect((await signIn(email, password, withSession)).status).toBe(200);
  const other = await signUp(send);
  const withOther = { ...from('198.51.100.3'), 'x-stack-refresh-token': other.refreshToken };
  expect((await signIn(email, password, withOther)).status).toBe(429);
});

test('guesses from a known device are limited too', async () => {
  const { email } = await signUp(send, { headers: { ...chrome, ...from('192.0.2.1') } });
  const statuses: number[] = [];
  for (let guess = 0; guess < 130; guess += 1) {
    statuses.push((await signIn(email, 'wrong password', { ...chrome, ...from(`192.0.2.${guess}`) })).status);
  }
  expect(statuses.indexOf(429)).toBe(120);
});

test('a flood of rejected sign-ins reads the log once in five seconds, whether or not the account exists', async () => {
  const reads: number[] = [];
  for (const email of [(await signUp(send)).email, newEmail()]) {
    for (let guess = 0; guess < 61; guess += 1) await signIn(email, 'wrong password', from(`203.0.113.${guess}`));
    const folds = vi.spyOn(api.deps.store, 'foldStream');
    for (let guess = 0; guess < 40; guess += 1) {
      expect((await signIn(email, 'wrong password', { ...firefox, ...from(`203.0.113.${guess}`) })).status).toBe(429);
    }
    reads.push(folds.mock.calls.length);
    folds.mockRestore();
  }
  // The reservation and its user, or the user who stands for an unknown one. A busy machine takes seconds.
  expect(Math.max(...reads)).toBeLessThan(20);
});

test('a rejected sign-in hashes the name of each counter once', async () => {
  const hashed: string[] = [];
  const lookupHash = createLookupHash(Buffer.alloc(32));
  const counting = await startTestApi({
    rateLimits: true,
    overrides: () => ({
      lookupHash: (kind, projectId, value) => {
        if (kind === 'rate limit') hashed.push(value);
        return lookupHash(kind, projectId, value);
      },
    }),
  });
  const email = newEmail();
  const guess = () =>
    senderOf(counting)('POST', '/auth/password/sign-in', { body: { email, password: 'wrong password' } });
  for (let nth = 0; nth < 10; nth += 1) expect((await guess()).status).toBe(400);
  hashed.length = 0;
  expect((await guess()).status).toBe(429);
  // Of the address, and of the email at the address.
  expect(hashed.length).toBe(2);
  await counting.close();
});

test('a user on a new device, locked out by strangers, signs in with an emailed code', async () => {
  const email = newEmail();
  const flags = { primary_email_verified: true, primary_email_auth_enabled: true, otp_auth_enabled: true };
  const user = { primary_email: email, password, ...flags };
  expect((await send('POST', '/users', { access: 'server', body: user })).status).toBe(201);
  for (let guess = 0; guess < 61; guess += 1) await signIn(email, 'wrong password', from(`203.0.113.${guess}`));
  const headers = { ...chrome, ...from('198.51.100.9') };
  expect((await signIn(email, password, headers)).status).toBe(429);
  const body = { email, callback_url: 'http://localhost/handler' };
  expect((await send('POST', '/auth/otp/send-sign-in-code', { body, headers })).status).toBe(200);
  const events = await api.deps.store.readAll(0n, 10_000);
  const mail = events.findLast(({ type }) => type === 'EmailRequested');
  const code = /code=([a-z0-9]{45})/.exec(JSON.stringify(mail?.data))?.[1];
  expect((await send('POST', '/auth/otp/sign-in', { body: { code }, headers })).status).toBe(200);
  // Now the device is known.
  expect((await signIn(email, password, headers)).status).toBe(200);
});

test('a user on a new device, locked out by strangers, resets the password and signs in with it', async () => {
  const { email } = await signUp(send);
  for (let guess = 0; guess < 61; guess += 1) await signIn(email, 'wrong password', from(`203.0.113.${guess}`));
  expect((await signIn(email, password, from('198.51.100.9'))).status).toBe(429);
  const call = { body: { email, callback_url: 'http://localhost/reset' }, headers: from('198.51.100.9') };
  expect((await send('POST', '/auth/password/send-reset-code', call)).status).toBe(200);
  const events = await api.deps.store.readAll(0n, 10_000);
  const mail = events.findLast(({ type }) => type === 'EmailRequested');
  const code = /code=([a-z0-9]{45})/.exec(JSON.stringify(mail?.data))?.[1];
  const reset = { body: { code, password: 'a new long password' }, headers: from('198.51.100.9') };
  expect((await send('POST', '/auth/password/reset', reset)).status).toBe(200);
  expect((await signIn(email, 'a new long password', from('198.51.100.9'))).status).toBe(200);
  expect((await signIn(email, 'a new long password', from('198.51.100.10'))).status).toBe(429);
});

test('docs/rate-limits.md states what six guessing addresses achieve in an hour', async () => {
  const { email } = await signUp(send, { headers: { ...chrome, ...from('192.0.2.1') } });
  const minutes = 20;
  const tally = { guesses: 0, minutesShutOut: 0, ownerRejected: 0 };
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let address = 0; address < 6; address += 1) {
      for (let nth = 0; nth < 12; nth += 1) {
        const { status } = await signIn(email, 'wrong password', from(`203.0.113.${address}`));
        if (status === 400) tally.guesses += 1;
      }
    }
    const newDevice = await signIn(email, password, { ...firefox, ...from('198.51.100.1') });
    if (newDevice.status === 429) tally.minutesShutOut += 1;
    const knownDevice = await signIn(email, password, { ...chrome, ...from('192.0.2.1') });
    if (knownDevice.status !== 200) tally.ownerRejected += 1;
    api.advance(60_000);
  }
  const perHour = (count: number) => (count * 60) / minutes;
  const text = readFileSync(new URL('../../../../docs/rate-limits.md', import.meta.url), 'utf8').replace(/\s+/g, ' ');
  expect(text).toContain(
    `Six addresses that guess as fast as possible get ${perHour(tally.guesses)} guesses per hour at one account, which is ${(perHour(tally.guesses) * 24).toLocaleString('en-US')} per day`,
  );
  expect(text).toContain(
    `lock a new device out of password sign-in for ${perHour(tally.minutesShutOut)} minutes of each hour`,
  );
  expect(tally.ownerRejected).toBe(0);
  expect(text).toContain('never lock out a known device');
});

import { describe, expect, test } from 'vitest';
import { cliLoginClient, promptCliLogin } from './auth/cli-login.ts';
import { type FakeAnswer, fakeNetwork, rejection } from './testing.ts';
import { createExchange } from './transport.ts';

const started = { polling_code: 'poll', login_code: 'log+in', expires_at: '2026-03-01T10:00:00.000Z' };

/** A server that starts a login and answers the polls in order; the last answer repeats. */
function cli(...polls: FakeAnswer[]) {
  let polled = 0;
  const { network, requests, pauses } = fakeNetwork(({ url }) => {
    if (url.endsWith('/auth/cli')) return { json: started };
    polled += 1;
    return polls[Math.min(polled, polls.length) - 1] ?? {};
  });
  const exchange = createExchange({
    baseUrl: 'http://gate.test',
    projectId: 'p1',
    accessType: 'client',
    publishableClientKey: 'pck_1',
    network,
  });
  const links: string[] = [];
  const prompt = (more: object = {}) =>
    promptCliLogin(cliLoginClient(exchange), {
      appUrl: 'https://shop.example/',
      promptLink: (url) => links.push(url),
      pause: network.pause,
      ...more,
    });
  return { client: cliLoginClient(exchange), requests, pauses, links, prompt };
}

const waiting = { json: { status: 'waiting' } };
const success = { status: 201, json: { status: 'success', refresh_token: 'r1' } };

test('the prompt shows a link and polls every two seconds until approval', async () => {
  const { prompt, links, pauses, requests } = cli(waiting, waiting, success);
  expect(await prompt({ expiresInMs: 60_000 })).toBe('r1');
  expect(links).toEqual(['https://shop.example/handler/cli-auth-confirm?login_code=log%2Bin']);
  expect(pauses).toEqual([2_000, 2_000]);
  expect(requests.map(({ body }) => body)).toEqual([
    { expires_in_millis: 60_000 },
    ...Array.from({ length: 3 }, () => ({ polling_code: 'poll' })),
  ]);
});

describe('the prompt throws', () => {
  const expired = { json: { status: 'expired' } };
  const used = { json: { status: 'used' } };
  const odd = { json: { status: 'success', refresh_token: 'r1' } };
  test.each([
    ['CLI_AUTH_EXPIRED_ERROR', expired, 'CLI authentication request expired. Please try again.'],
    ['CLI_AUTH_USED_ERROR', used, 'This authentication token has already been used.'],
    ['CLI_AUTH_ERROR', odd, 'success'],
    ['CLI_AUTH_ERROR', { status: 500, text: 'out of order' }, '500: out of order'],
    ['INVALID_POLLING_CODE', rejection('INVALID_POLLING_CODE', 400), ''],
  ])('%s', async (code, answer, text) => {
    const error = await cli(waiting, answer)
      .prompt()
      .catch((found) => found);
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) });
  });

  test('CLI_AUTH_ERROR after the last attempt', async () => {
    await expect(cli(waiting).prompt({ maxAttempts: 2 })).rejects.toMatchObject({
      code: 'CLI_AUTH_ERROR',
      message: 'Timed out waiting for CLI authentication.',
    });
  });
});

test('the browser approves with its refresh token', async () => {
  const { client, requests } = cli({ json: { success: true } });
  await client.complete({ loginCode: 'log+in', refreshToken: 'r1' });
  expect(requests[0]).toMatchObject({
    url: 'http://gate.test/api/v1/auth/cli/complete',
    body: { login_code: 'log+in', refresh_token: 'r1' },
  });
});

import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { createProject, newEmail, type OwnedProject, type Send, senderOf } from '../../testing/requests.ts';

let api: TestApi;
let send: Send;
let project: OwnedProject;
beforeAll(async () => {
  api = await startTestApi();
  send = senderOf(api);
  project = await createProject(send);
});
afterAll(() => api.close());

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A mail server that greets, and says the same to whatever it is asked. */
async function saying(reply: string, greeting = '220 here\r\n'): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(reply));
    socket.write(greeting);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const own = { username: '', password: '', sender_name: 'Shop', sender_email: 'shop@example.com' };
const tryServer = (port: number, config: object = {}) =>
  send('POST', '/internal/send-test-email', {
    ...{ ...project, access: 'admin' },
    body: { recipient_email: newEmail(), email_config: { host: '127.0.0.1', port, ...own, ...config } },
  });

async function listed() {
  const { headers, body } = await send('GET', '/internal/emails', { ...project, access: 'admin' });
  return { headers, newest: body.items[0] };
}

describe('what a mail server says', () => {
  test.each([
    ['NUL characters', '554 go\0away\r\n'],
    ['a pair that shortening cuts', `554 ${'x'.repeat(980)}${'\u{1f4a5}'.repeat(20)}\r\n`],
    ['a pair that shortening cuts, one further', `554 ${'x'.repeat(981)}${'\u{1f4a5}'.repeat(20)}\r\n`],
  ])('never stops the read models: %s', async (_, reply) => {
    const answer = await tryServer(await saying(reply));
    expect(answer.body).toMatchObject({ success: false });
    expect(answer.headers['x-read-model']).toBeUndefined();
    const { rawError } = (await listed()).newest.error;
    expect([rawError.includes('\0'), rawError.isWellFormed()]).toEqual([false, true]);
  });
});

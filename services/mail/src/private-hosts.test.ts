import { expect, test } from 'vitest';
import { connectToPublicHost, isPrivateAddress, PrivateHostError } from './private-hosts.ts';

test.each([
  ...['127.0.0.1', '127.255.0.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
  ...['0.0.0.0', '100.64.0.1', '224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fd00::1', 'ff02::1'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'],
])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));

test.each(['1.1.1.1', '172.15.0.1', '172.32.0.1', '192.167.1.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
  '%s is not',
  (address) => expect(isPrivateAddress(address)).toBe(false),
);

test.each(['127.0.0.1', '::1', 'localhost'])('nobody connects to %s', async (host) => {
  await expect(connectToPublicHost({ host, port: 1 }, { timeoutMs: 1_000 })).rejects.toThrow(PrivateHostError);
});

test('a name that nobody has is an error of its own', async () => {
  const connecting = connectToPublicHost({ host: 'no-such-host.invalid', port: 25 }, { timeoutMs: 5_000 });
  await expect(connecting).rejects.toMatchObject({ code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) });
});

import { expect, test } from 'vitest';
import { connectToPublicHost, isForbiddenAddress, isPrivateAddress, PrivateHostError } from './private-hosts.ts';

test.each([
  ...['127.0.0.1', '127.255.0.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
  ...['0.0.0.0', '100.64.0.1', '224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fd00::1', 'ff02::1'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '64:ff9b:1::101:101'],
  ...['::101:101', '::ffff:0:1.1.1.1', '2001:0:101:101::', '2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:127.0.0.1'],
  ...['168.63.129.16', '64:ff9b::a83f:8110', '192.0.2.1', '3fff::1', '4000::1', 'fec0::1', '2001:db8::1', 'no address'],
])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));

test.each([
  ...['1.1.1.1', '172.15.0.1', '172.32.0.1', '192.167.1.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'],
  ...['64:ff9b::101:101', '2002:101:101::1'],
])('%s is public', (address) => {
  expect(isPrivateAddress(address)).toBe(false);
  expect(isForbiddenAddress(address)).toBe(false);
});

/** 169.254.169.254, the address of cloud metadata services, in every IPv6 format that embeds an IPv4 address. */
test.each([
  ...['169.254.169.254', '::ffff:169.254.169.254', '::169.254.169.254', '::ffff:0:169.254.169.254'],
  ...['64:ff9b::a9fe:a9fe', '64:ff9b:1::a9fe:a9fe', '64:ff9b:1:a9fe:a9:fe00::', '2002:a9fe:a9fe::1'],
  ...['2001:0:a9fe:a9fe::1', '2001::5601:5601', '2606:4700::5efe:a9fe:a9fe', 'fd00::200:5efe:169.254.169.254'],
])('%s is forbidden even if private networks are allowed', async (host) => {
  expect(isForbiddenAddress(host)).toBe(true);
  const connecting = connectToPublicHost({ host, port: 1 }, { timeoutMs: 1_000, allowPrivate: true });
  await expect(connecting).rejects.toThrow(PrivateHostError);
});

test.each(['10.0.0.1', '127.0.0.1', 'fd00::1', '64:ff9b::a00:1', '::1'])(
  '%s is allowed if private networks are allowed',
  (address) => expect(isForbiddenAddress(address)).toBe(false),
);

test.each(['127.0.0.1', '::1', 'localhost'])('connections to %s are rejected', async (host) => {
  await expect(connectToPublicHost({ host, port: 1 }, { timeoutMs: 1_000 })).rejects.toThrow(PrivateHostError);
});

test('an unknown hostname is a DNS error', async () => {
  const connecting = connectToPublicHost({ host: 'no-such-host.invalid', port: 25 }, { timeoutMs: 5_000 });
  await expect(connecting).rejects.toMatchObject({ code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) });
});

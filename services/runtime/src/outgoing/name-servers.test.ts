import { spawn, spawnSync } from 'node:child_process';
import dns, { type LookupAddress } from 'node:dns';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DnsServer, startDnsServer } from '../testing/dns-server.ts';
import { addressesByName, forbiddenTargets, publicAddress } from '../testing/forbidden-targets.ts';
import { resolveTargetProblem, sendRequest } from './send-request.ts';

/* Targets whose names are resolved by a name server of an attacker. */

const rejected = { saved: 'private_network', sent: 'forbidden' };
const names = Object.keys(addressesByName);

describe('check 15: with a name server,', () => {
  let server: DnsServer;
  const resolver = new dns.promises.Resolver();
  beforeAll(async () => {
    server = await startDnsServer((name) => addressesByName[name] ?? null);
    resolver.setServers([`127.0.0.1:${server.port}`]);
  });
  afterAll(() => server.close());

  type Done = (error: Error | null, addresses: LookupAddress[]) => void;
  const ask = async (name: string): Promise<LookupAddress[]> => {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length === 0) throw new Error(`no address of ${name}`);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  const lookup = (name: string, _: object, done: Done) =>
    void ask(name).then(
      (addresses) => done(null, addresses),
      (error) => done(error, []),
    );
  beforeEach(() => {
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
    return () => vi.restoreAllMocks();
  });
  const judge = async (url: string) => {
    const limits = { deadlineMs: 10_000, maxResponseBytes: 1_000, allowPrivate: false };
    const saved = await resolveTargetProblem(url, { allowPrivate: false, timeoutMs: 10_000 });
    const sent = await sendRequest(url, { method: 'GET', headers: {} }, limits).catch(({ reason }) => reason);
    return { saved, sent };
  };

  test(`each of ${names.length} names with a forbidden address is rejected, when it is saved and when it is sent to`, async () => {
    expect(names.length).toBeGreaterThanOrEqual(60);
    for (const name of names) expect(await judge(`https://${name}/`), name).toEqual(rejected);
    // Saved and sent, IPv4 and IPv6.
    expect(server.queries).toHaveLength(4 * names.length);
  });

  test('a forbidden target without a name is rejected before the name server is asked', async () => {
    const before = server.queries.length;
    for (const url of forbiddenTargets) expect((await judge(url)).sent, url).toBe('forbidden');
    expect(server.queries).toHaveLength(before);
  });
});

/** Whether this machine gives processes a network of their own. */
const inNamespaces = ['-Urmn', 'sh', '-c'];
const hasNamespaces = spawnSync('unshare', [...inNamespaces, 'ip link set lo up']).status === 0;
const skipped = hasNamespaces ? '' : ' (left out: needs unshare and ip)';

test.runIf(hasNamespaces)(
  `check 15: the resolver of the system leads to no forbidden address, also if the name server changes its answer${skipped}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatebook-dns-'));
    const settings = join(folder, 'resolv.conf');
    await writeFile(settings, 'nameserver 127.0.0.1\noptions timeout:1 attempts:3\n');
    const script = fileURLToPath(new URL('../testing/resolve-targets.ts', import.meta.url));
    // Without a public IPv6 address, the resolver would not ask for those of names.
    const addresses = `ip addr add ${publicAddress}/32 dev lo && ip addr add 2606:4700::1111/128 dev lo`;
    const setup = `ip link set lo up && ${addresses} && mount --bind ${settings} /etc/resolv.conf`;
    const child = spawn('unshare', [...inNamespaces, `${setup} && exec ${process.execPath} ${script}`]);
    const [output, errors] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
    expect(errors.join('')).toBe('');
    const found = JSON.parse(output.join(''));
    expect(Object.keys(found.literal)).toEqual([...forbiddenTargets]);
    for (const url of forbiddenTargets) {
      expect(found.literal[url], url).toEqual({ saved: expect.any(String), sent: 'forbidden' });
    }
    expect(found.queriesOfLiterals).toBe(0);
    expect(found.named).toEqual(Object.fromEntries(names.map((name) => [name, rejected])));
    expect(found.connectionsToForbidden).toEqual([]);
    // Connected to the address that was checked; the next request sees the other one.
    expect(found.rebinding).toEqual(['unreachable', 'forbidden']);
    expect(found.rebound).toEqual([publicAddress]);
    await rm(folder, { recursive: true });
  },
  120_000,
);

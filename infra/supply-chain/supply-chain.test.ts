import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { imagesIn, parseImage, resolveDigest, unpinnedIn, withDigests } from './images.ts';
import { judgeAudit } from './judge-audit.ts';
import { toSbom } from './to-sbom.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('the software bill of materials', () => {
  test('the SBOM lists every third-party production package with hash and license', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatebook-sbom-'));
    const file = join(folder, 'sbom.json');
    execFileSync(process.execPath, [join(root, 'infra/supply-chain/sbom.ts'), file], { cwd: root, stdio: 'pipe' });
    const sbom = JSON.parse(readFileSync(file, 'utf8'));
    rmSync(folder, { recursive: true });
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'gatebook', type: 'application' } },
    });
    const purls: string[] = sbom.components.map(({ purl }: { purl: string }) => purl);
    for (const workspace of ['api', 'commands', 'mail', 'worker']) {
      const { dependencies = {} } = JSON.parse(read(`services/${workspace}/package.json`));
      for (const [name, version] of Object.entries(dependencies)) {
        if (version !== '*') expect(purls).toContain(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      }
    }
    expect(purls.some((purl) => purl.startsWith('pkg:npm/vitest@'))).toBe(false);
  });

  test('a production package that is missing or has no hash or license is an error', () => {
    const whole = {
      'bom-ref': 'a@1.0.0',
      name: 'a',
      version: '1.0.0',
      purl: 'pkg:npm/a@1.0.0',
      hashes: [{ alg: 'SHA-512', content: 'aa' }],
      licenses: [{ license: { id: 'MIT' } }],
    };
    const tool = { ...whole, 'bom-ref': 'tool@1.0.0', name: 'tool', purl: 'pkg:npm/tool@1.0.0', hashes: [] };
    const component = { 'bom-ref': 'gatebook@1', name: 'folder', version: '1', purl: 'pkg:npm/gatebook@1' };
    const dependencies = [{ ref: 'gatebook@1', dependsOn: ['a@1.0.0', 'tool@1.0.0'] }];
    const made = (components: object[]) =>
      JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component }, components, dependencies });
    const packages = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/tool': { version: '1.0.0', dev: true } };
    const lock = JSON.stringify({ packages });
    const { sbom, components } = toSbom(made([whole, tool]), lock);
    expect(components).toBe(1);
    expect(JSON.parse(sbom)).toMatchObject({
      metadata: { component: { name: 'gatebook' } },
      dependencies: [{ ref: 'gatebook@1', dependsOn: ['a@1.0.0'] }],
    });
    for (const fault of [{ hashes: [] }, { licenses: undefined }, { purl: 'pkg:npm/a@2.0.0' }]) {
      expect(() => toSbom(made([{ ...whole, ...fault }, tool]), lock)).toThrow(/pkg:npm\/a@1.0.0/);
    }
  });
});

describe('advisories', () => {
  const via = [{ title: 'Prototype pollution', url: 'https://github.com/advisories/GHSA-1' }];
  const reportOf = (severity: string) =>
    JSON.stringify({ vulnerabilities: { a: { name: 'a', severity, range: '<2', via, nodes: ['node_modules/a'] } } });
  const judge = (printed: string) => judgeAudit(printed, (node) => node === 'node_modules/tool');

  test.each([
    ['critical', 'vulnerable'],
    ['high', 'vulnerable'],
    ['moderate', 'clean'],
    ['low', 'clean'],
  ])('one that is %s: %s, and it is named', (severity, outcome) => {
    const verdict = judge(reportOf(severity));
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.lines[0]).toBe(`${severity.toUpperCase()} a <2: Prototype pollution ${via[0]?.url}`);
  });

  test('advisories of development dependencies are ignored', () => {
    const inTool = reportOf('critical').replace('node_modules/a', 'node_modules/tool');
    expect(judge(inTool)).toEqual({ outcome: 'clean', lines: ['0 packages with advisories'] });
  });

  test('an audit without advisories passes', () => {
    expect(judge('{"vulnerabilities":{}}').outcome).toBe('clean');
  });

  test.each(['', 'not json', '{"message":"audit endpoint returned an error"}', '{"error":{"code":"ENOTFOUND"}}'])(
    'an unreachable registry is reported as unknown: %s',
    (printed) => {
      const verdict = judge(printed);
      expect(verdict.outcome).toBe('unknown');
      expect(verdict.lines.join()).toContain('WARNING');
    },
  );
});

describe('images', () => {
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
  const files = ['docker-compose.yml', 'infra/docker/Dockerfile'];

  test('all third-party images are found, and all have a version', () => {
    const found = files.flatMap((file) => imagesIn(read(file)));
    expect(found.map((image) => image.split(':')[0]).sort()).toEqual(
      ['axllent/mailpit', 'eventstore/eventstore', 'haproxy', 'node', 'postgres', 'redis'].sort(),
    );
    for (const image of found) expect(parseImage(image).tag).toMatch(/\d+\.\d+/);
  });

  test.each(files)('of %s can all be pinned and later pinned to a newer digest', (file) => {
    const text = read(file);
    const found = imagesIn(text);
    const pinned = withDigests(text, new Map(found.map((image) => [image, digest])));
    expect(unpinnedIn(pinned)).toEqual([]);
    expect(imagesIn(pinned)).toEqual(found);
    for (const image of found) expect(pinned).toContain(`${image}@${digest}`);
    expect(pinned).not.toMatch(/gatebook:[\d.]+@/);
    const newer = digest.replaceAll('0', 'f');
    const again = withDigests(pinned, new Map(found.map((image) => [image, newer])));
    expect(again).not.toContain(digest);
    expect(again.replaceAll(`@${newer}`, '')).toBe(text.replaceAll(/@sha256:[0-9a-f]{64}/g, ''));
  });

  test('images without a known digest are unchanged', () => {
    const text = 'services:\n  a:\n    image: redis:8.8.0-alpine\n';
    expect(withDigests(text, new Map())).toBe(text);
    expect(unpinnedIn(text)).toEqual(['redis:8.8.0-alpine']);
  });

  test.each([
    ['redis:8', { registry: 'https://registry-1.docker.io', repository: 'library/redis', tag: '8' }],
    ['axllent/mailpit:v1', { registry: 'https://registry-1.docker.io', repository: 'axllent/mailpit', tag: 'v1' }],
    ['ghcr.io/a/b:1.2', { registry: 'https://ghcr.io', repository: 'a/b', tag: '1.2' }],
  ])('%s is looked for where it is', (reference, image) => expect(parseImage(reference)).toEqual(image));

  test('digests are read from the registry, with an anonymous token if required', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const { origin } = new URL(`http://${request.headers.host}`);
      if (request.url?.startsWith('/token')) return response.end('{"token":"t1"}');
      if (request.headers.authorization !== 'Bearer t1') {
        const challenge = `Bearer realm="${origin}/token",service="reg",scope="repository:a/b:pull"`;
        return response.writeHead(401, { 'www-authenticate': challenge }).end();
      }
      if (request.url !== '/v2/a/b/manifests/1.2') return response.writeHead(404).end();
      return response.writeHead(200, { 'docker-content-digest': digest }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await resolveDigest({ registry, repository: 'a/b', tag: '1.2' })).toBe(digest);
    expect(asked).toEqual([
      'HEAD /v2/a/b/manifests/1.2',
      'GET /token?service=reg&scope=repository%3Aa%2Fb%3Apull',
      'HEAD /v2/a/b/manifests/1.2',
    ]);
    await expect(resolveDigest({ registry, repository: 'a/b', tag: '9' })).rejects.toThrow('answered 404');
    await new Promise((resolve) => server.close(resolve));
    await expect(resolveDigest({ registry, repository: 'a/b', tag: '1.2' })).rejects.toThrow();
  });
});

test('SECURITY.md says how to report a vulnerability and the times to respond and to fix it', () => {
  const text = read('SECURITY.md');
  for (const heading of ['Report a vulnerability', 'Response times', 'Supported versions', 'Dependencies']) {
    expect(text).toContain(`## ${heading}`);
  }
  for (const [, path = ''] of text.matchAll(/\]\((docs\/[^)#]+)\)/g))
    expect(existsSync(join(root, path)), path).toBe(true);
});

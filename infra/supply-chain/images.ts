import { z } from 'zod';

/** A container image in a compose file or a Dockerfile. */
export type Image = { registry: string; repository: string; tag: string };

const dockerHub = 'https://registry-1.docker.io';
const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const timeoutMs = 20_000;

/** `image:` of compose files and `FROM` of Dockerfiles; images that are built here, and stages, have no registry. */
const references = /^(\s*image:\s*|FROM\s+)([a-z0-9][\w./:-]*:[\w.-]+)(@sha256:[0-9a-f]{64})?(?=\s|$)/gm;
const isBuiltHere = (reference: string) => reference.startsWith('gatebook:');

/** The references of third-party images in a file, without digests and duplicates. */
export function imagesIn(text: string): string[] {
  const found = [...text.matchAll(references)].map(([, , reference = '']) => reference);
  return [...new Set(found.filter((reference) => !isBuiltHere(reference)))];
}

/** The references without a digest. */
export function unpinnedIn(text: string): string[] {
  const bare = [...text.matchAll(references)].filter(
    ([, , reference = '', digest]) => !digest && !isBuiltHere(reference),
  );
  return [...new Set(bare.map(([, , reference = '']) => reference))];
}

/** Pins each reference to its digest. References missing in `digests` are unchanged. */
export function withDigests(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replace(references, (whole, before: string, reference: string) => {
    const digest = digests.get(reference);
    return digest ? `${before}${reference}@${digest}` : whole;
  });
}

/** @throws Error for a reference without a tag */
export function parseImage(reference: string): Image {
  const at = reference.lastIndexOf(':');
  const [name, tag] = [reference.slice(0, at), reference.slice(at + 1)];
  if (at < 0 || tag.includes('/')) throw new Error(`${reference} has no tag`);
  const [first = '', ...rest] = name.split('/');
  const isHost = rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost');
  if (isHost) return { registry: `https://${first}`, repository: rest.join('/'), tag };
  return { registry: dockerHub, repository: rest.length === 0 ? `library/${name}` : name, tag };
}

/**
 * The current digest of a tag, for all platforms, from its registry (OCI distribution specification 1.1), with an
 * anonymous token if required. @throws Error when the registry is unreachable or does not know the image
 */
export async function resolveDigest({ registry, repository, tag }: Image): Promise<string> {
  const url = `${registry}/v2/${repository}/manifests/${tag}`;
  const ask = (headers: Record<string, string>) =>
    fetch(url, {
      method: 'HEAD',
      headers: { accept: manifestTypes, ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    });
  let answer = await ask({});
  if (answer.status === 401) {
    const token = await anonymousToken(answer.headers.get('www-authenticate') ?? '');
    answer = await ask({ authorization: `Bearer ${token}` });
  }
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${url} answered ${answer.status}`);
  return digest;
}

const TokenAnswer = z.union([
  z.object({ token: z.string() }),
  z.object({ access_token: z.string() }).transform(({ access_token: token }) => ({ token })),
]);

async function anonymousToken(challenge: string): Promise<string> {
  const given = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
  const url = new URL(given.get('realm') ?? '');
  for (const name of ['service', 'scope']) url.searchParams.set(name, given.get(name) ?? '');
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  return TokenAnswer.parse(await answer.json()).token;
}

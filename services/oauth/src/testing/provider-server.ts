import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderEntry } from '../provider.ts';

export type Seen = { method: string; path: string; headers: IncomingHttpHeaders; form: Record<string, string> };
/** JSON with status 200, or whatever a listener does. */
export type Told = { json: unknown; status?: number } | ((response: ServerResponse, seen: Seen) => void);

/** A provider on this machine that answers by path as a test says, and remembers what it was asked. */
export async function startProviderServer() {
  const answers = new Map<string, Told>();
  const seen: Seen[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url: path = '', headers } = request;
    const asked = { method, path, headers, form: Object.fromEntries(new URLSearchParams(body)) };
    seen.push(asked);
    const told = answers.get(path) ?? { json: { message: 'not found' }, status: 404 };
    if (typeof told === 'function') return told(response, asked);
    response.writeHead(told.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(told.json));
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    seen,
    /** Answers from now on, by path with query. */
    tell: (told: Readonly<Record<string, Told>>) => {
      for (const [path, each] of Object.entries(told)) answers.set(path, each);
    },
    forget: () => {
      answers.clear();
      seen.length = 0;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
export type ProviderServer = Awaited<ReturnType<typeof startProviderServer>>;

/** A provider with its token endpoint, keys and profile at a server of ours, everything else as it is. */
export function entryAt(entry: ProviderEntry, url: string): ProviderEntry {
  const { url: profileUrl } = entry.profile;
  return {
    ...entry,
    tokenEndpoint: `${url}/token`,
    idTokenKeys: entry.idTokenKeys === null ? null : `${url}/keys`,
    profile: {
      ...entry.profile,
      url: profileUrl === null ? null : `${url}/profile${new URL(profileUrl).search}`,
    },
  };
}

const pem = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;
const signingKey = createPrivateKey(pem);
const publicJwk = createPublicKey(signingKey).export({ format: 'jwk' });
export const keySet = { keys: [{ ...publicJwk, kid: 'one', alg: 'RS256', use: 'sig' }] };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A signed token, by the key of `keySet` unless told otherwise. */
export function idToken(
  claims: Readonly<Record<string, unknown>>,
  { key = signingKey, header = {} }: { key?: KeyObject; header?: Record<string, unknown> } = {},
): string {
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid: 'one', ...header })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

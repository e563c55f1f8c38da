import { contentTypes, mutate, textOf, wrongBodies, wrongValues } from './mutate.ts';
import type { FuzzedOperation } from './operations.ts';
import type { Random } from './random.ts';
import { nobody, type Shapes, sample } from './sample.ts';
import { accessTypes, keyHeaders, type World } from './world.ts';

export type FuzzRequest = {
  method: string;
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | null;
};

const wrongIds = [
  ...[
    'x',
    '%00',
    '..%2f..',
    "'%20or%201=1",
    '%F0%9F%92%A9',
    `${nobody}0`,
    'null',
    '-1',
    '%ff',
    '%',
    '%u0041',
    '*',
    'me%00',
  ],
  ...[
    'x'.repeat(190),
    'x'.repeat(250),
    encodeURIComponent('\u0130'),
    nobody.toUpperCase(),
    '%5b%5d',
    '{}',
    '.',
    ';a=b',
  ],
];
const wrongQueries = [
  ...[
    '',
    '?',
    '&',
    '=',
    '%',
    '%00',
    '%ff=%fe',
    'a[b]=1',
    'x=1&x=2',
    '__proto__=1',
    'limit=-1',
    'limit=1e400',
    'limit=9007199254740993',
  ],
  ...[
    'limit=1e9',
    'limit=0',
    'limit=%00',
    'cursor=%00',
    'cursor=x',
    'user_id=%ff',
    'user_id=me',
    'query=%ed%a0%80',
    'desc=maybe',
    '#',
  ],
  ...[`query=${'x'.repeat(4_000)}`, `x=${'%41'.repeat(2_000)}`, `${'a&'.repeat(1_000)}`, 'query=%25_%5c', "query='--"],
];
const wrongTexts = [
  ...[
    '',
    ' ',
    'x',
    'null',
    'undefined',
    '\u00ff\u00e4',
    '%00',
    'a'.repeat(5_000),
    'eyJhbGciOiJub25lIn0.e30.',
    '0',
    '-1',
    '{}',
    'root',
  ],
  ...[
    'eyJhbGciOiJFUzI1NiIsImtpZCI6IngifQ.eyJhdWQiOiJ4In0.AAAA',
    'js @stackframe/js@2.8.3',
    'Basic Og==',
    'Basic ////',
    'Bearer x',
  ],
];
const headerNames = [
  ...[
    'x-stack-access-type',
    'x-stack-project-id',
    'x-stack-branch-id',
    'x-stack-publishable-client-key',
    'x-stack-secret-server-key',
  ],
  ...[
    'x-stack-super-secret-admin-key',
    'x-stack-admin-access-token',
    'x-stack-access-token',
    'x-stack-refresh-token',
    'authorization',
  ],
  ...[
    'x-stack-client-version',
    'x-stack-override-error-status',
    'x-stack-random-nonce',
    'x-hexclave-project-id',
    'idempotency-key',
  ],
  ...[
    'accept',
    'accept-encoding',
    'cookie',
    'origin',
    'referer',
    'user-agent',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-real-ip',
  ],
  ...[
    'cf-connecting-ip',
    'cf-ipcountry',
    'x-http-method-override',
    'range',
    'if-none-match',
    'forwarded',
    'content-encoding',
    'expect-ct',
  ],
];

/** One request of an operation, more often wrong than right. */
export function requestOf(operation: FuzzedOperation, world: World, shapes: Shapes, random: Random): FuzzRequest {
  const body = bodyOf(operation, world, shapes, random);
  const headers = { ...callerHeaders(world, random), ...body.headers };
  for (let times = random.chance(0.15) ? 1 + random.below(3) : 0; times > 0; times -= 1) {
    headers[random.pick(headerNames)] = random.pick(wrongTexts);
  }
  const method = random.chance(0.01) ? random.pick(['PUT', 'TRACE', 'HEAD', 'OPTIONS', 'PATCH']) : operation.method;
  return {
    method,
    path: pathOf(operation, world, random) + queryOf(operation, world, shapes, random),
    headers,
    body: body.body,
  };
}

export function callerHeaders(world: World, random: Random): Record<string, string> {
  const access = random.pick(accessTypes);
  return {
    'x-stack-project-id': world.projectId,
    'x-stack-access-type': access,
    [keyHeaders[access]]: world.keys[access],
    ...(random.chance(0.7) && { 'x-stack-access-token': random.pick(world.userTokens) }),
    ...(random.chance(0.2) && { 'x-stack-refresh-token': random.pick(world.refreshTokens) }),
    ...(random.chance(0.1) && { 'x-stack-override-error-status': 'true' }),
    ...(random.chance(0.1) && { 'idempotency-key': `key-${random.below(200)}` }),
  };
}

export function pathOf({ path }: FuzzedOperation, world: World, random: Random): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const existing = world.known[name] ?? [];
    if (existing.length > 0 && random.chance(0.7)) return encodeURIComponent(random.pick(existing));
    return random.chance(0.3) ? nobody : random.pick(wrongIds);
  });
}

function queryOf({ query }: FuzzedOperation, world: World, shapes: Shapes, random: Random): string {
  const pairs = query
    .filter(() => random.chance(0.6))
    .map(({ name, schema }) => {
      const value = sample(schema, name, shapes, world.known, random);
      return `${name}=${encodeURIComponent(random.chance(0.85) ? textOf(value) : unquoted(random.pick(wrongValues)))}`;
    });
  if (random.chance(0.1)) pairs.push(random.pick(wrongQueries));
  return pairs.length > 0 ? `?${pairs.join('&').slice(0, 8_000)}` : '';
}

function unquoted(literal: string): string {
  const value: unknown = literal.startsWith('"') ? JSON.parse(literal) : literal;
  return String(value).toWellFormed().slice(0, 2_000);
}

type Body = { body: string | Buffer | null; headers: Record<string, string> };

function bodyOf({ method, body }: FuzzedOperation, world: World, shapes: Shapes, random: Random): Body {
  const json = { 'content-type': 'application/json' };
  if (method === 'GET' && !random.chance(0.02)) return { body: null, headers: {} };
  if (random.chance(0.06)) {
    const type = random.pick(contentTypes);
    return { body: random.pick(wrongBodies), headers: type === undefined ? {} : { 'content-type': type } };
  }
  if (body === null) return random.chance(0.5) ? { body: '{}', headers: json } : { body: null, headers: {} };
  const value = sample(body, '', shapes, world.known, random);
  if (random.chance(0.05)) {
    return { body: formOf(value), headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  }
  if (random.chance(0.03)) {
    const type = random.pick(contentTypes);
    return { body: JSON.stringify(value), headers: type === undefined ? {} : { 'content-type': type } };
  }
  return { body: random.chance(0.3) ? JSON.stringify(value) : mutate(value, random), headers: json };
}

function formOf(value: unknown): string {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [['', value]];
  return fields.map(([name, inner]) => `${name}=${encodeURIComponent(textOf(inner).toWellFormed())}`).join('&');
}

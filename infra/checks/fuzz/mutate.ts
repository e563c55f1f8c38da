import type { Random } from './random.ts';

/** JSON texts that no field, or hardly any, should take; as texts, because some can't be made by a serializer. */
export const wrongValues: readonly string[] = [
  ...['null', 'true', '[]', '{}', '""', '-1', '-0', '0.5', '1e308', '1e-320', '[[[]]]'],
  ...[
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '-9007199254740993',
    `1${'0'.repeat(400)}`,
    '[1e999]',
    '{"a":{"b":1e999}}',
  ],
  ...[
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"\\ufffe"',
    '"\\u202e"',
    '"\u{1f4a9}"',
    '"\\r\\nx: y"',
    '"a\\nb"',
  ],
  ...[
    '{"$gt":""}',
    '{"toString":1}',
    '{"length":-1}',
    '["a","a"]',
    '"me"',
    '"undefined"',
    '"NaN"',
    '"Infinity"',
    '"1e400"',
  ],
  ...[
    '"../../etc/passwd"',
    '"%00"',
    '"\' or 1=1 --"',
    '"<script>"',
    '"{{{{"',
    '"javascript:alert(1)"',
    '"//host"',
    '"http://[::1"',
    '"http://\\u0130.example"',
  ],
  ...[
    '"00000000-0000-0000-0000-000000000000"',
    '"ffffffff-ffff-ffff-ffff-ffffffffffff"',
    '"2026-13-45T99:99:99Z"',
    '253402300800000',
    '-62135596800001',
  ],
  ...[1, 2, 44, 46, 65, 71, 257, 1_025, 4_097, 65_537].map((length) => JSON.stringify('x'.repeat(length))),
  JSON.stringify('\u00e4'.repeat(5_000)),
  JSON.stringify('x'.repeat(200_000)),
  JSON.stringify('data:image/png;base64,'.padEnd(1_000_100, 'A')),
  `${'['.repeat(65)}${']'.repeat(65)}`,
  `${'{"a":'.repeat(63)}1${'}'.repeat(63)}`,
  `[${Array(2_000).fill('0').join()}]`,
  `{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":0`).join()}}`,
];

/** Bodies that are not JSON objects, or not JSON at all. */
export const wrongBodies: readonly (string | Buffer)[] = [
  ...[
    '',
    ' ',
    '\0',
    '{',
    '}',
    '[',
    '"',
    '{"a":',
    '{"a"}',
    '{} {}',
    "{'a':1}",
    '{a:1}',
    '[1,]',
    'nul',
    '+1',
    '01',
    '1e',
    'NaN',
  ],
  ...['{"a":1,"a":2}', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}', '\ufeff{}', '1e400', '[1e400]'],
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from('\ufeff{"a":1}', 'utf16le'),
  Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
  '['.repeat(100_000),
  '{"a":'.repeat(20_000),
  JSON.stringify({ a: 'x'.repeat(1_600_000) }),
];

export const contentTypes: readonly (string | undefined)[] = [
  'application/json',
  'application/json; charset=utf-16',
  'application/JSON;charset="x"',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/octet-stream',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json, text/plain',
  ';',
  '',
  undefined,
];

type Place = { owner: Record<string, unknown> | unknown[]; key: string | number };

/** @returns JSON text with some of what a careless or hostile client would send in place of what was there */
export function mutate(value: unknown, random: Random): string {
  const root = { body: structuredClone(value) };
  const raw: string[] = [];
  for (let times = 1 + random.below(3); times > 0; times -= 1) change(root, raw, random);
  keepMailServersLocal(root);
  let text = JSON.stringify(root.body) ?? 'null';
  for (const [index, literal] of raw.entries()) text = text.replace(`"${marker(index)}"`, () => literal);
  return random.chance(0.03) ? text.slice(0, random.below(text.length)) : text;
}

const marker = (index: number) => `@@raw ${index}@@`;

function change(root: { body: unknown }, raw: string[], random: Random): void {
  const { owner, key } = random.pick(placesIn({ owner: root, key: 'body' }));
  const put = (value: unknown) => Object.assign(owner, { [key]: value });
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(owner)) owner.splice(Number(key), 1);
      else if (owner !== root) Reflect.deleteProperty(owner, key);
      return;
    case 1:
      if (!Array.isArray(owner) && owner !== root) Object.assign(owner, { [random.pick(unknownKeys)]: 1 });
      return;
    case 2:
      put([Reflect.get(owner, key)]);
      return;
    case 3:
      put(
        textOf(Reflect.get(owner, key))
          .slice(0, 4_000)
          .repeat(1 + random.below(300)),
      );
      return;
    default:
      raw.push(random.pick(wrongValues));
      put(marker(raw.length - 1));
  }
}

export const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const unknownKeys = ['', 'id', 'project_id', 'is_admin', 'toString', 'a\u0000', '\ud800', '$where', 'x'.repeat(5_000)];

function placesIn(place: Place): Place[] {
  const value: unknown = Reflect.get(place.owner, place.key);
  if (typeof value !== 'object' || value === null) return [place];
  const owner = value as Record<string, unknown>;
  return [
    place,
    ...Object.keys(owner).flatMap((key) => placesIn({ owner, key: Array.isArray(value) ? Number(key) : key })),
  ];
}

/** Names of hosts would be looked up, for seconds each where there is no network. */
function keepMailServersLocal(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'host' && typeof inner === 'string') Object.assign(value, { host: '127.0.0.1' });
    else keepMailServersLocal(inner);
  }
}

import { execFileSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examples } from './verification-code.ts';

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
const body = '{"type":"user.created","data":{"display_name":"Zoë"}}';

function headersAt(seconds: number, signedBody = body) {
  const id = 'evt_1';
  const mac = createHmac('sha256', key).update(`${id}.${seconds}.${signedBody}`).digest('base64');
  const other = randomBytes(32).toString('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    // As during a rotation: another secret's signature first.
    'webhook-signature': `v1,${other} v1,${mac}`,
  };
}
const now = () => Math.floor(Date.now() / 1_000);
const deliveries = () => [
  headersAt(now()),
  headersAt(now(), `${body} `),
  headersAt(now() - 301),
  { ...headersAt(now()), 'webhook-signature': 'v1, v1,short v2,x' },
];
const expected = ['Zoë', 'wrong signature', 'too old', 'wrong signature'];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatebook-verify-'));
  for (const { file, code } of examples) writeFileSync(join(folder, file), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: string, ...args: string[]): string[] =>
  JSON.parse(execFileSync(command, args, { cwd: folder, encoding: 'utf8' }));
const input = () => JSON.stringify({ secret, body, deliveries: deliveries() });

test('the code for Node.js accepts what is signed with the secret, and nothing else', () => {
  const program = `import { verify } from './verify.mjs';
    const { secret, body, deliveries } = JSON.parse(process.argv[1]);
    const outcome = (headers) => {
      try { return verify(secret, headers, Buffer.from(body)).data.display_name; } catch (error) { return error.message; }
    };
    console.log(JSON.stringify(deliveries.map(outcome)));`;
  expect(run(process.execPath, '--input-type=module', '-e', program, input())).toEqual(expected);
});

const noPython = (() => {
  try {
    execFileSync('python3', ['-c', '"".removeprefix("")']);
    return '';
  } catch {
    return 'no Python 3.9';
  }
})();

test.skipIf(noPython)(`the code for Python does the same${noPython && ` (skipped: ${noPython})`}`, () => {
  const program = `import json, sys
from verify import verify
given = json.loads(sys.argv[1])
def outcome(headers):
    try:
        return verify(given["secret"], headers, given["body"].encode())["data"]["display_name"]
    except ValueError as error:
        return str(error)
print(json.dumps([outcome(headers) for headers in given["deliveries"]]))`;
  expect(run('python3', '-c', program, input())).toEqual(expected);
});

test('the code for all languages signs the same text', () => {
  expect(examples.map(({ language }) => language)).toEqual(['Node.js', 'Python', 'Go', 'Ruby', 'PHP']);
  for (const { code } of examples) {
    for (const part of ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'whsec_', '300']) {
      expect(code).toContain(part);
    }
  }
});

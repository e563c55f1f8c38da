import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeAnswer, fakeNetwork, rejection, type SentRequest, tokenFor } from '../../../../sdk/js/src/testing.ts';
import { runLine } from '../testing/run-line.ts';
import { sessionFileIn } from './session-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatebook-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

const loginCode = 'abcdefghjkmnpqrstvwxyz0123456789abcdefgh7k3m2';
const ann = {
  id: 'u1',
  display_name: 'Ann Achebe',
  primary_email: 'ann@example.com',
  primary_email_verified: true,
  is_anonymous: false,
  signed_up_at_millis: 1,
  oauth_providers: [],
};
type Polls = FakeAnswer[];
const success: FakeAnswer = { status: 201, json: { status: 'success', refresh_token: 'r1' } };
const waiting: FakeAnswer = { json: { status: 'waiting' } };

/** A fake server with these responses to polls. `isSessionEnded`: the server has ended the session. */
function server({ polls = [success], isSessionEnded = false }: { polls?: Polls; isSessionEnded?: boolean } = {}) {
  const left = [...polls];
  return ({ url }: SentRequest): FakeAnswer => {
    const { pathname } = new URL(url);
    if (pathname === '/dashboard/config.json') {
      return { json: { api_url: 'https://auth.example', project_id: 'internal', publishable_client_key: 'pck_own' } };
    }
    if (pathname === '/api/v1/auth/cli') {
      return { json: { polling_code: 'poll', login_code: loginCode, expires_at: '2026-03-01T10:00:00.000Z' } };
    }
    if (pathname === '/api/v1/auth/cli/poll') return left.shift() ?? waiting;
    if (pathname === '/api/v1/auth/oauth/token') {
      const granted = { access_token: tokenFor(600_000), token_type: 'Bearer', expires_in: 600 };
      return isSessionEnded ? rejection('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED', 401) : { json: granted };
    }
    if (pathname === '/api/v1/users/me')
      return isSessionEnded ? rejection('CANNOT_GET_OWN_USER_WITHOUT_USER', 400) : { json: ann };
    return { json: { success: true } };
  };
}

async function run(line: string, answer: (request: SentRequest) => FakeAnswer = server()) {
  const { network, requests, pauses } = fakeNetwork(answer);
  const sessionFile = join(folder, 'gatebook', 'session.json');
  const { code, output, errors } = await runLine(line, { network, sessionFile });
  return { code, output, errors, requests, pauses };
}
const stored = async () => JSON.parse(await readFile(join(folder, 'gatebook', 'session.json'), 'utf8'));

describe('login', () => {
  test('prints the link, waits for the approval, stores the session and prints who is signed in', async () => {
    const { code, output, pauses } = await run('login', server({ polls: [waiting, waiting, success] }));
    expect(code).toBe(0);
    expect(output).toContain(`https://auth.example/handler/cli-auth-confirm?login_code=${loginCode}`);

    expect(output).toContain('h7k3m2');
    expect(output).toContain('Signed in as Ann Achebe <ann@example.com>.');
    expect(pauses).toEqual([2_000, 2_000]);
    expect(await stored()).toEqual({
      url: 'http://localhost:8102',
      projectId: 'internal',
      publishableClientKey: 'pck_own',
      refreshToken: 'r1',
    });
  });

  test('stores the session readable by its owner only, even if the file exists with wider permissions', async () => {
    await run('login');
    const file = join(folder, 'gatebook', 'session.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'gatebook'))).mode & 0o777).toBe(0o700);
    await rm(file);
    await writeFile(file, '{}', { mode: 0o644 });
    await run('login');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('never prints a token', async () => {
    for (const line of ['login', 'login --json', 'whoami', 'whoami --json', 'logout --json']) {
      const { output, errors } = await run(line);
      expect(output + errors).not.toMatch(/r1\b|pck_own|e30\./);
    }
  });

  test('prints a line of JSON for each step with --json', async () => {
    const { output } = await run('login --json --url http://gate.test/');
    expect(output.split('\n').map((line) => JSON.parse(line))).toEqual([
      {
        event: 'confirm',
        link: `https://auth.example/handler/cli-auth-confirm?login_code=${loginCode}`,
        code_ends_in: 'h7k3m2',
        expires_at: '2026-03-01T10:00:00.000Z',
      },
      {
        event: 'signed_in',
        url: 'http://gate.test',
        project_id: 'internal',
        user: {
          id: 'u1',
          display_name: 'Ann Achebe',
          primary_email: 'ann@example.com',
          primary_email_verified: true,
          is_anonymous: false,
        },
      },
    ]);
  });

  test('to another project uses the given key and app URL instead of the configuration of the server', async () => {
    const line = 'login --project p1 --publishable-client-key pck_1 --app-url https://shop.example';
    const { code, output, requests } = await run(line);
    expect(code).toBe(0);
    expect(output).toContain('https://shop.example/handler/cli-auth-confirm');
    expect(requests.some(({ url }) => url.endsWith('config.json'))).toBe(false);
    expect(requests[0]?.headers).toMatchObject({
      'x-stack-project-id': 'p1',
      'x-stack-publishable-client-key': 'pck_1',
    });
  });

  test.each([
    ['login --project p1', 2, '--publishable-client-key'],
    ['login --project p1 --publishable-client-key pck_1', 2, '--app-url'],
    ['login --url localhost:8102', 2, 'is not a URL'],
    ['login --color red', 2, "unknown option '--color'"],
    ['fly', 2, "unknown command 'fly'"],
  ])('%s exits with %i', async (line, code, words) => {
    const outcome = await run(line);
    expect(outcome).toMatchObject({ code, errors: expect.stringContaining(words) });
  });

  const expired: FakeAnswer = { json: { status: 'expired' } };
  test.each([
    [4, 'CLI authentication request expired. Please try again.', server({ polls: [waiting, expired] })],
    [4, 'already been used', server({ polls: [{ json: { status: 'used' } }] })],
    [1, '500: out of order', server({ polls: [{ status: 500, text: 'out of order' }] })],
    [1, 'Could not reach http://localhost:8102', () => ({ fails: true })],
    [1, 'does not respond like Gatebook (status 404)', () => ({ status: 404, text: 'no' })],
    [3, 'Your session has ended', server({ isSessionEnded: true })],
  ])('login exits with %i: %s', async (code, words, answer) => {
    expect(await run('login', answer)).toMatchObject({ code, errors: expect.stringContaining(words) });
    await expect(stored()).rejects.toThrow('ENOENT');
  });
});

describe('whoami', () => {
  test('prints the current user of the server', async () => {
    await run('login');
    expect(await run('whoami')).toMatchObject({
      code: 0,
      output: 'Ann Achebe <ann@example.com>, project internal at http://localhost:8102',
    });
  });

  test('fails when nobody is signed in', async () => {
    expect(await run('whoami')).toMatchObject({ code: 3, errors: expect.stringContaining('You are not signed in') });
    await run('login');
    expect(await run('whoami', server({ isSessionEnded: true }))).toMatchObject({ code: 3 });
  });

  test('rejects a file that is not a session file', async () => {
    await run('login');
    await writeFile(join(folder, 'gatebook', 'session.json'), 'not json');
    expect(await run('whoami')).toMatchObject({ code: 1, errors: expect.stringContaining('Delete it') });
  });
});

describe('logout', () => {
  test('ends the session on the server and deletes the session file', async () => {
    await run('login');
    const { code, requests } = await run('logout');
    expect(code).toBe(0);
    expect(requests.at(-1)).toMatchObject({
      method: 'DELETE',
      url: 'http://localhost:8102/api/v1/auth/sessions/current',
    });
    expect(await run('whoami')).toMatchObject({ code: 3 });
  });

  test('only deletes the session file with --local', async () => {
    await run('login');
    const { requests } = await run('logout --local');
    expect(requests).toEqual([]);
    await expect(stored()).rejects.toThrow('ENOENT');
  });
});

test.each(['--version', '-v'])('%s prints the version', async (option) => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(await run(option)).toMatchObject({ code: 0, output: version, errors: '' });
});

test('the session file is in the configuration folder of the platform', () => {
  expect(sessionFileIn({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe('/x/gatebook/session.json');
  expect(sessionFileIn({ HOME: '/h' }, 'linux')).toBe('/h/.config/gatebook/session.json');
  expect(sessionFileIn({ APPDATA: '/a', HOME: '/h' }, 'win32')).toBe('/a/gatebook/session.json');
});

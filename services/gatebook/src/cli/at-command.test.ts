import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeAnswer, fakeNetwork, type SentRequest, tokenFor } from '../../../../sdk/js/src/testing.ts';
import { runCommandLine } from './program.ts';
import { writeSession } from './session-file.ts';

const eventId = '01a20727-1c69-7202-96a6-08303f83e59b';
const userId = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
const noon = Date.parse('2026-11-01T12:00:00.000Z');
const echo = { 'x-as-of-event-id': eventId, 'x-as-of-millis': String(noon) };
const accessToken = tokenFor(600_000);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatebook-at-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function run(
  args: readonly string[],
  answer: FakeAnswer = { json: { id: userId }, headers: echo },
  projectId = 'internal',
) {
  const sessionFile = join(folder, 'session.json');
  await writeSession(sessionFile, {
    url: 'https://auth.example',
    projectId,
    publishableClientKey: 'pck',
    refreshToken: 'r',
  });
  const { network, requests } = fakeNetwork(({ url }: SentRequest) =>
    url.endsWith('/auth/oauth/token')
      ? { json: { access_token: accessToken, token_type: 'Bearer', expires_in: 600 } }
      : answer,
  );
  const [printed, errors]: [string[], string[]] = [[], []];
  const code = await runCommandLine(['at', ...args], {
    network,
    sessionFile,
    env: {},
    terminal: null,
    print: (line) => printed.push(line),
    printError: (line) => errors.push(line),
    stopSignal: () => new AbortController().signal,
  });
  return { code, output: printed.join('\n'), errors: errors.join('\n'), request: requests.at(-1) };
}

describe('gatebook at', () => {
  test('reads as the signed-in owner, and prints the moment and the body', async () => {
    const { code, output, request } = await run(['2026-11-01T12:00Z', 'users', 'show', userId, '--project', 'p1']);
    expect({ code, url: request?.url }).toEqual({
      code: 0,
      url: `https://auth.example/api/v1/users/${userId}?as_of=${noon}`,
    });
    expect(request?.headers).toMatchObject({
      'x-stack-access-type': 'admin',
      'x-stack-project-id': 'p1',
      'x-stack-admin-access-token': accessToken,
    });
    expect(output).toBe(
      `As of 2026-11-01T12:00:00.000Z, after event ${eventId}:\n${JSON.stringify({ id: userId }, null, 2)}`,
    );
  });

  test('takes local times, milliseconds and IDs of events', async () => {
    const urlOf = async (moment: string) => (await run([moment, 'teams', 'list'])).request?.url.split('=')[1];
    expect(await urlOf('2026-11-01 12:00')).toBe(String(new Date(2026, 10, 1, 12).getTime()));
    expect(await urlOf(String(noon))).toBe(String(noon));
    expect(await urlOf(eventId)).toBe(eventId);
  });

  test('reads the default version of an email template, or a version in a language', async () => {
    const pathOf = async (id: string) => {
      const { request } = await run([eventId, 'email-templates', 'show', id]);
      return request?.url.split('?')[0]?.replace('https://auth.example/api/v1', '');
    };
    expect(await pathOf('magic_link')).toBe('/email-templates/magic_link');
    expect(await pathOf('magic_link.de-DE')).toBe('/internal/email-templates/magic_link/versions/de-DE');
  });

  test('prints one line of JSON on request', async () => {
    const { output } = await run([eventId, 'settings', '--json'], { json: { a: 1 }, headers: echo });
    expect(JSON.parse(output)).toEqual({
      ...{ as_of_event_id: eventId, as_of_millis: noon, as_of_omitted: [], body: { a: 1 } },
    });
  });

  test('does not show the present of a server that ignores the moment', async () => {
    const { code, output, errors } = await run([eventId, 'settings'], { json: { a: 1 } });
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toContain('can’t show the past');
  });

  test('prints the server’s error', async () => {
    const answer = { status: 404, json: { code: 'AUDIT_EVENT_NOT_FOUND', error: 'This event does not exist.' } };
    expect(await run([eventId, 'settings'], answer)).toMatchObject({
      code: 1,
      errors: 'gatebook: This event does not exist.',
    });
  });

  test.each([
    [['yesterday', 'users', 'list'], 2],
    [[eventId, 'dogs', 'list'], 2],
    [[eventId, 'sessions', 'list'], 2],
    [[eventId, 'sessions', 'list', '--team', userId], 2],
    [[eventId, 'team-api-keys', 'list', '--team', userId, '--user', userId], 2],
    [[eventId, 'users', 'show'], 2],
    [[eventId, 'project', 'list'], 2],
  ])('explains what it expects instead of %j', async (args, code) => {
    const ran = await run(args);
    expect({ code: ran.code, request: ran.request }).toEqual({ code, request: undefined });
    expect(ran.errors).not.toBe('');
  });

  test('needs a session of an owner', async () => {
    expect(await run([eventId, 'settings'], {}, 'p1')).toMatchObject({ code: 3 });
  });
});

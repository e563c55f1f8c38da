import { rejections } from '@gatebook/contract/plain-errors';
import { windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import { describe, expect, test } from 'vitest';
import { newRequestId, windowOfRequest } from '../../http/request-ids.ts';
import { type TextLanguage, textLanguages } from '../../http/text-language.ts';
import {
  type Answer,
  createProject,
  expectKnown,
  newEmail,
  type OwnedProject,
  signUp,
  unknownId,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import { codesOfChecks, listChecks } from './checks.ts';

const { api, send } = await startSuite({ trustedProxies: ['loopback'] });
const headers = { 'x-forwarded-for': '203.0.113.7' };
const idOf = (answer: Answer) => String(answer.headers['x-stack-request-id']);
const find = (project: OwnedProject, requestId: string) =>
  send('GET', `/internal/rejections/${requestId}`, { ...project, access: 'admin' });

/** All requests of the test fall into one window. */
const beginWindow = () => api.advance(windowMs - (Date.parse(api.deps.now()) % windowMs));

/** The explanation of a failed request. Calls without a caller are recorded after their response. */
async function explain(project: OwnedProject, answer: Answer) {
  const { body, status } = await expect
    .poll(() => find(project, idOf(answer)))
    .toMatchObject({ status: 200 })
    .then(() => find(project, idOf(answer)));
  expect(status).toBe(200);
  return body;
}
type Check = { name: string; passed: boolean | null; detail: string };
const causeOf = (body: { checks: Check[] }) => body.checks.find(({ passed }) => passed === false);

describe('a failed request', () => {
  test('is found by its request ID with the check that failed, caller and network (check 12)', async () => {
    beginWindow();
    const project = await createProject(send);
    const user = await signUp(send, project);
    const signIn = (email: string) =>
      send('POST', '/auth/password/sign-in', { ...project, body: { email, password: 'wrong password' }, headers });
    const wrong = await explain(project, await signIn(user.email));
    expect(wrong).toMatchObject({
      precision: 'request',
      error_code: 'EMAIL_PASSWORD_MISMATCH',
      status: 400,
      route: 'POST /api/v1/auth/password/sign-in',
      at_millis: expect.any(Number),
      caller: {
        access_type: 'client',
        actor: { kind: 'client', id: null },
        user_id: user.userId,
        network: '203.0.113.0/24',
      },
      permission_explanation: null,
    });
    expect(wrong.window.rejections).toEqual([
      { error_code: 'EMAIL_PASSWORD_MISMATCH', route: 'POST /api/v1/auth/password/sign-in', count: 1 },
    ]);
    expect(causeOf(wrong)?.name).toBe('endpoint');
    const unknown = await explain(project, await signIn(newEmail()));
    expect(unknown).toMatchObject({ error_code: 'EMAIL_PASSWORD_MISMATCH', caller: { user_id: null } });
    expect(unknown.window.rejections[0].count).toBe(2);
  });

  test('lists the checks in the order in which they run, up to the first that failed', async () => {
    const project = await createProject(send);
    const user = await signUp(send, project);
    const wrongKey = { ...project, access: 'server' as const, keys: { ...project.keys, server: project.keys.client } };
    const asUser = { ...project, as: user.accessToken };
    const cases: [Promise<Answer>, cause: string][] = [
      [send('GET', '/users/me', { ...project, as: 'garbage' }), 'access_token'],
      [
        send('GET', '/users', { ...project, headers: { 'x-stack-admin-access-token': 'garbage' } }),
        'admin_access_token',
      ],
      [send('GET', '/users', wrongKey), 'project_key'],
      [send('GET', '/users', { ...project, headers: { 'x-stack-branch-id': 'other' } }), 'project'],
      [send('GET', '/users', asUser), 'access'],
      [send('PATCH', '/users/me', { ...asUser, body: { display_name: 1, unknown: 'typed by a person' } }), 'input'],
      [send('GET', `/users/${unknownId}`, { ...project, access: 'server' }), 'endpoint'],
    ];
    for (const [answer, cause] of cases) {
      const body = await explain(project, await answer);
      expect(causeOf(body)?.name).toBe(cause);
      const order = body.checks.map(({ passed }: Check) => passed);
      const at = order.indexOf(false);
      expect(order.slice(0, at).every((passed: boolean) => passed)).toBe(true);
      expect(order.slice(at + 1).every((passed: null) => passed === null)).toBe(true);
      expect(JSON.stringify(body)).not.toContain('undefined');
    }
  });

  test('is found by its own project only, and by no other ID', async () => {
    const [project, other] = [await createProject(send), await createProject(send)];
    const answer = await send('GET', '/users', project);
    await explain(project, answer);
    expectKnown(await find(other, idOf(answer)), 404, 'REJECTION_NOT_FOUND');
    expectKnown(await find(project, '0'.repeat(16)), 404, 'REJECTION_NOT_FOUND');
    expectKnown(await find(project, 'no ID'), 400, 'SCHEMA_ERROR', expect.anything());
  });

  test('of an erased user names nobody any more', async () => {
    const project = await createProject(send);
    const user = await signUp(send, project);
    const answer = await send('GET', '/users', { ...project, as: user.accessToken, headers });
    expect((await explain(project, answer)).caller.actor.id).toBe(user.userId);
    await api.deps.activity.forgetUser(user.userId);
    expect((await explain(project, answer)).caller).toEqual({
      access_type: 'client',
      actor: null,
      user_id: null,
      network: null,
    });
  });

  test('of which only the window is known says so', async () => {
    beginWindow();
    const project = await createProject(send);
    const answers: Answer[] = [];
    for (let n = 0; n < 60; n += 1) answers.push(await send('GET', '/users', project));
    const last = answers.at(-1) as Answer;
    await explain(project, answers[0] as Answer);
    const { body, status } = await find(project, idOf(last));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      precision: 'window',
      error_code: 'INSUFFICIENT_ACCESS_TYPE',
      status: 401,
      route: 'GET /api/v1/users',
      at_millis: null,
      caller: { actor: null, user_id: null, network: null },
      window: { rejections: [{ error_code: 'INSUFFICIENT_ACCESS_TYPE', route: 'GET /api/v1/users', count: 60 }] },
    });
    expect(causeOf(body)?.name).toBe('access');
    const { body: kept } = await find(project, idOf(answers[0] as Answer));
    expect(kept.precision).toBe('request');
  });
});

test('every code of a check has a text, and no text of a failed check lacks a fact', () => {
  for (const code of codesOfChecks)
    expect(Object.keys({ ...rejections, RATE_LIMITED: 1, OVERLOADED: 1 })).toContain(code);
  for (const code of Object.keys(rejections)) {
    for (const language of textLanguages) {
      const checks = listChecks(language, { code, hasActor: true, facts: { project_id: 'shop' } });
      const failed = checks.filter(({ passed }) => passed === false);
      expect(failed).toHaveLength(1);
      expect(failed[0]?.detail).not.toMatch(/undefined|null/);
    }
  }
});

test('checks are told in another language, with the error as the caller got it', () => {
  const checksIn = (language: TextLanguage) =>
    listChecks(language, { code: 'USER_NOT_FOUND', hasActor: true, facts: {} });
  const [english, german] = [checksIn('en'), checksIn('de')];
  expect(german.map(({ name, passed }) => [name, passed])).toEqual(english.map(({ name, passed }) => [name, passed]));
  for (const [nth, { detail }] of german.entries()) expect(detail).not.toBe(english[nth]?.detail);
  const error = english.find(({ passed }) => passed === false)?.detail;
  expect(german.find(({ passed }) => passed === false)?.detail).toBe(
    `Der Endpunkt hat die Anfrage abgelehnt. Fehlermeldung: „${error}“`,
  );
});

test('a request ID names its window for almost ten years', () => {
  const at = Date.parse('2026-03-02T10:02:00.000Z');
  const id = newRequestId(at);
  expect(id).toMatch(/^[0-9a-z]{16}$/);
  const begin = Date.parse('2026-03-02T10:00:00.000Z');
  for (const days of [0, 1, 365, 3_600]) expect(windowOfRequest(id, at + days * 86_400_000)).toBe(begin);
  const ids = new Set(Array.from({ length: 10_000 }, () => newRequestId(at)));
  expect(ids.size).toBe(10_000);
});

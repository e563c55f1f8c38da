import { unsubscribeCodeOf } from '@gatebook/commands/email/notification-preferences';
import { notificationCategories } from '@gatebook/contract/notifications';
import { describe, expect, test } from 'vitest';
import { createProject, expectKnown, expectPlain, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const { transactional, marketing } = notificationCategories;
const path = '/emails/notification-preference';

const list = async (user: string, call: object = { access: 'server' }) =>
  send('GET', `${path}/${user}`, { ...project, ...call });
const change = (user: string, category: string, enabled: boolean, call: object = { access: 'server' }) =>
  send('PATCH', `${path}/${user}/${category}`, { ...project, ...call, body: { enabled } });
const isEnabled = async (userId: string) => (await list(userId)).body.items[1].enabled;

describe('notification preferences', () => {
  test('list every category, all on at first', async () => {
    const { accessToken: as, userId } = await signUp(send, project);
    const expected = [
      { notification_category_id: transactional.id, notification_category_name: 'Transactional', can_disable: false },
      { notification_category_id: marketing.id, notification_category_name: 'Marketing', can_disable: true },
    ].map((category) => ({ ...category, enabled: true }));
    const own = await list('me', { as });
    expect({ status: own.status, body: own.body }).toEqual({
      status: 200,
      body: { items: expected, is_paginated: false },
    });
    expect((await list(userId)).body.items).toEqual(expected);
  });

  test('are changed by the user and by servers, and shown in the history', async () => {
    const { accessToken: as, userId } = await signUp(send, project);
    expect((await change('me', marketing.id, false, { as })).body).toEqual({
      notification_category_id: marketing.id,
      notification_category_name: 'Marketing',
      enabled: false,
      can_disable: true,
    });
    expect((await list('me', { as })).body.items[1].enabled).toBe(false);
    expect((await change(userId, marketing.id, true)).body.enabled).toBe(true);
    expect(await isEnabled(userId)).toBe(true);
    const history = await send('GET', `/internal/users/${userId}/history`, { ...project, access: 'admin' });
    const texts = history.body.items.map(({ text }: { text: string }) => text);
    expect(texts).toEqual(expect.arrayContaining(['Turned marketing emails on', 'Turned marketing emails off']));
  });

  test('keep transactional emails on', async () => {
    const { userId } = await signUp(send, project);
    expectPlain(await change(userId, transactional.id, false), 400);
    expect((await change(userId, transactional.id, true)).status).toBe(200);
  });

  test('are rejected for other users, unknown users and unknown categories', async () => {
    const [{ accessToken: as }, other] = [await signUp(send, project), await signUp(send, project)];
    expectPlain(await list(other.userId, { as }), 403);
    expectPlain(await change(other.userId, marketing.id, false, { as }), 403);
    expectKnown(await list('me', {}), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
    const nobody = '5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e';
    expectKnown(await list(nobody), 404, 'USER_NOT_FOUND');
    expectKnown(await change(nobody, marketing.id, false), 404, 'USER_NOT_FOUND');
    expectPlain(await change(other.userId, nobody, false), 404);
  });
});

describe('an unsubscribe link', () => {
  const unsubscribeUrl = (code: string) => `/api/v1/emails/unsubscribe?code=${code}`;
  const codeOf = (userId: string) => unsubscribeCodeOf(api.deps, { projectId: project.projectId, userId });

  test('shows a page and changes nothing when it is opened', async () => {
    const { userId } = await signUp(send, project);
    const code = codeOf(userId);
    const { statusCode, headers } = await api.app.inject({ method: 'GET', url: unsubscribeUrl(code) });
    expect(statusCode).toBe(303);
    expect(headers.location).toBe(`${api.deps.config.http.publicUrl}/handler/unsubscribe?code=${code}`);
    expect(await isEnabled(userId)).toBe(true);
  });

  test.each([
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ['application/json', '{}'],
  ])('unsubscribes without a sign-in when %s is posted, as often as it is', async (type, payload) => {
    const { userId } = await signUp(send, project);
    const request = { url: unsubscribeUrl(codeOf(userId)), headers: { 'content-type': type }, payload };
    for (const _ of [1, 2]) {
      const answer = await api.app.inject({ method: 'POST', ...request });
      expect({ status: answer.statusCode, body: answer.json() }).toEqual({ status: 200, body: { success: true } });
    }
    expect(await isEnabled(userId)).toBe(false);
  });

  test('is rejected for a changed code, another user’s signature, and a deleted user', async () => {
    const [ann, bob] = [await signUp(send, project), await signUp(send, project)];
    const [, signature] = codeOf(ann.userId).split('.');
    await send('DELETE', `/users/${bob.userId}`, { ...project, access: 'server' });
    const signatureOfNobody = 'a'.repeat(43);
    for (const code of [
      `${bob.userId}.${signature}`,
      `${ann.userId}.${signatureOfNobody}`,
      codeOf(bob.userId),
      'x',
      '',
    ]) {
      const { status, body } = await send('POST', `/emails/unsubscribe?code=${code}`, { body: {} });
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'VERIFICATION_CODE_NOT_FOUND' });
    }
    expect(await isEnabled(ann.userId)).toBe(true);
  });
});

import { issueCode } from '@gatebook/commands/code/code';
import { expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import { createProject, expectKnown, expectSchemaError, password, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send, {
  config: { domains: [{ domain: 'https://shop.example', handler_path: '/auth' }] },
});

/** As the mail's page does it: nobody is signed in, and the project is not named. */
const report = (code: unknown) =>
  api.app.inject({ method: 'POST', url: '/api/v1/auth/activity-reports', payload: { code } });
const codeFor = async ({ userId, email }: { userId: string; email: string }) => {
  const ctx = {
    projectId: project.projectId,
    actor: { kind: 'system' as const, id: null },
    requestId: 'notice',
  } as const;
  const about = { lifeMs: 60_000, subjectId: userId, recipient: email, payload: { userId } };
  return (await issueCode(api.deps, ctx, { purpose: 'activity_report', ...about })).code;
};

test('the link of a notice ends every session and sends a reset link, without a key', async () => {
  const user = await signUp(send, project);
  const answer = await report((await codeFor(user)).toUpperCase());
  expect([answer.statusCode, answer.json()]).toEqual([200, { success: true, reset_email_sent: true }]);
  const me = await send('GET', '/users/me', { ...project, as: user.accessToken });
  expect(me.body.code).toBe('ACCESS_TOKEN_EXPIRED');
  const signIn = { email: user.email, password };
  expectKnown(
    await send('POST', '/auth/password/sign-in', { ...project, body: signIn }),
    400,
    'EMAIL_PASSWORD_MISMATCH',
  );
  const { link, code } = await mailTo(api, user.email);
  expect(link).toBe(`https://shop.example/auth/password-reset?code=${code}`);
  const body = { code, password: 'battery staple' };
  expect((await send('POST', '/auth/password/reset', { ...project, body })).status).toBe(200);
});

test('opening the link changes nothing because GET is not supported', async () => {
  const user = await signUp(send, project);
  const code = await codeFor(user);
  const url = `/api/v1/auth/activity-reports?code=${code}`;
  expect((await api.app.inject({ method: 'GET', url })).statusCode).toBe(405);
  expect((await send('GET', '/users/me', { ...project, as: user.accessToken })).status).toBe(200);
  expect((await report(code)).statusCode).toBe(200);
});

test('a code works once and must come from a notice', async () => {
  const user = await signUp(send, project);
  const code = await codeFor(user);
  await report(code);
  const answerOf = async (given: unknown) => {
    const { statusCode: status, json, headers, body: text } = await report(given);
    return { status, body: json(), headers, text } as never;
  };
  expectKnown(await answerOf(code), 409, 'VERIFICATION_CODE_ALREADY_USED');
  expectKnown(await answerOf('z'.repeat(45)), 404, 'VERIFICATION_CODE_NOT_FOUND');
  expectSchemaError(await answerOf('short'), 'body.code');
  const body = { email: user.email, callback_url: 'http://localhost/page' };
  await send('POST', '/auth/password/send-reset-code', { ...project, body });
  const other = await mailTo(api, user.email);
  expectKnown(await answerOf(other.code), 404, 'VERIFICATION_CODE_NOT_FOUND');
});

test('the list of templates shows the four types of the protocol, and notices have none', async () => {
  const list = await send('GET', '/email-templates', { ...project, access: 'admin' });
  const types = list.body.items.map(({ type }: { type: string }) => type);
  expect(types).toEqual(['email_verification', 'password_reset', 'magic_link', 'team_invitation']);
  for (const type of ['security_notice', 'new_device_sign_in']) {
    expectSchemaError(await send('GET', `/email-templates/${type}`, { ...project, access: 'admin' }), 'type');
  }
});

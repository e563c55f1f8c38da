import { expect, test } from 'vitest';
import { mailTo } from '../../testing/mailbox.ts';
import { createProject, expectKnown, newEmail } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const project = await createProject(send);
const invite = (body: object) =>
  send('POST', '/internal/send-sign-in-invitation', { ...project, access: 'admin', body });

test('a sign-in invitation links to the sign-in page, without a code', async () => {
  const email = newEmail();
  const callback_url = 'http://localhost:3000/handler/sign-in';
  expect((await invite({ email, callback_url })).body).toEqual({ success: true });
  expect(await mailTo(api, email)).toMatchObject({ emailType: 'sign_in_invitation', link: callback_url, code: '' });
});

test('a sign-in invitation links to trusted pages only', async () => {
  const answer = await invite({ email: newEmail(), callback_url: 'https://evil.example/sign-in' });
  expectKnown(answer, 400, 'REDIRECT_URL_NOT_WHITELISTED');
});

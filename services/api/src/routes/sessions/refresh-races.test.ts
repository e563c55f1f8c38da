import { describe, expect, test } from 'vitest';
import {
  type Answer,
  createProject,
  type OwnedProject,
  password,
  type SignedIn,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);

/** As the published clients refresh. */
const grant = ({ projectId, keys }: OwnedProject, refresh_token: string) =>
  send('POST', '/auth/oauth/token', {
    headers: { 'x-stack-access-type': '', 'x-stack-publishable-client-key': '' },
    body: { grant_type: 'refresh_token', refresh_token, client_id: projectId, client_secret: keys.client },
  });
const refresh = (of: OwnedProject, token: string) =>
  send('POST', '/auth/sessions/current/refresh', { ...of, headers: { 'x-stack-refresh-token': token } });

/** Sends refreshes of both forms before, while and after `end` runs. */
async function race(of: OwnedProject, { refreshToken }: SignedIn, end: () => Promise<Answer>) {
  const both = () => [grant(of, refreshToken), refresh(of, refreshToken)];
  const started = Array.from({ length: 10 }, both).flat();
  const ended = end();
  const during = Array.from({ length: 40 }, async (_, nth) => {
    await new Promise((resume) => setTimeout(resume, nth / 4));
    return Promise.all(both());
  });
  const answers = [...(await Promise.all(started)), ...(await Promise.all(during)).flat()];
  expect((await ended).status).toBe(200);
  return { answers, afterwards: await Promise.all(both()) };
}

function expectTokensOr(answers: readonly Answer[], codes: readonly string[]): void {
  const outcomes = answers.map(({ status, body }) => (status === 200 ? 'tokens' : `${status} ${body.code ?? body}`));
  const expected = ['tokens', ...codes];
  expect(outcomes.filter((outcome) => !expected.includes(outcome))).toEqual([]);
}

const ended = '401 REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED';

describe('refreshes concurrent with', () => {
  const times = [1, 2, 3];

  test.each(times)('a sign-out get tokens or learn that the session has ended (%i)', async () => {
    const user = await signUp(send, project);
    const signOut = () => send('DELETE', '/auth/sessions/current', { ...project, as: user.accessToken });
    const { answers, afterwards } = await race(project, user, signOut);
    expectTokensOr(answers, [ended]);
    expect(afterwards.map(({ body }) => body.code)).toEqual(Array(2).fill('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED'));
  });

  test.each(times)('the deletion of the user get tokens or learn that the session has ended (%i)', async () => {
    const user = await signUp(send, project);
    const remove = () => send('DELETE', `/users/${user.userId}`, { ...project, access: 'server' });
    const { answers, afterwards } = await race(project, user, remove);
    expectTokensOr(answers, [ended]);
    expect(afterwards.map(({ body }) => body.code)).toEqual(Array(2).fill('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED'));
  });

  test.each(times)('a password change get tokens or learn that the session has ended (%i)', async () => {
    const user = await signUp(send, project);
    const body = { old_password: password, new_password: 'another long password' };
    const update = () => send('POST', '/auth/password/update', { ...project, as: user.accessToken, body });
    const { answers, afterwards } = await race(project, user, update);
    expectTokensOr(answers, [ended]);
    expect(afterwards.map(({ body: { code } }) => code)).toEqual(Array(2).fill('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED'));
  });

  test.each(times)('the deletion of the project get tokens, or the error of the session or the key (%i)', async () => {
    const doomed = await createProject(send);
    const user = await signUp(send, doomed);
    const remove = () => send('DELETE', '/internal/projects/current', { ...doomed, access: 'admin' });
    const { answers, afterwards } = await race(doomed, user, remove);
    const ofKey = ['400 INVALID_OAUTH_CLIENT_ID_OR_SECRET', '401 INVALID_PUBLISHABLE_CLIENT_KEY'];
    expectTokensOr(answers, [ended, ...ofKey, '404 PROJECT_NOT_FOUND']);
    expect(afterwards.map(({ status, body }) => `${status} ${body.code}`)).toEqual(ofKey);
  });
});

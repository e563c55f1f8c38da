import { expect, test } from 'vitest';
import { createProject, newEmail } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send);
const admin = { ...project, access: 'admin' } as const;

const createUser = async (body: object): Promise<string> =>
  (await send('POST', '/users', { ...project, access: 'server', body })).body.id;
const preview = async (onboarding: object, query = '') =>
  (await send('POST', `/internal/onboarding/preview-affected-users${query}`, { ...admin, body: { onboarding } })).body;

test('lists the users whom a required verification would restrict, newest first', async () => {
  const nobody = { affected_users: [], total_affected_count: 0 };
  expect(await preview({ require_email_verification: true })).toEqual(nobody);
  const primary_email = newEmail();
  const unverified = await createUser({ primary_email });
  const withoutEmail = await createUser({ display_name: 'Ann' });
  await createUser({ primary_email: newEmail(), primary_email_verified: true });
  await createUser({ restricted_by_admin: true, display_name: 'Eve' });

  const restricted_reason = { type: 'email_not_verified' };
  expect(await preview({ require_email_verification: true })).toEqual({
    affected_users: [
      { id: withoutEmail, display_name: 'Ann', primary_email: null, restricted_reason },
      { id: unverified, display_name: null, primary_email, restricted_reason },
    ],
    total_affected_count: 2,
  });
  const first = await preview({ require_email_verification: true }, '?limit=1');
  expect(first).toMatchObject({ affected_users: [{ id: withoutEmail }], total_affected_count: 2 });
  expect(await preview({})).toEqual(nobody);

  await send('PATCH', '/internal/projects/current/settings', { ...admin, body: { email_verification_required: true } });
  expect(await preview({ require_email_verification: true })).toEqual(nobody);
});

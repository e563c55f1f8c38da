import { projectRoles } from '@gatebook/domain/project/roles';
import { describe, expect, test } from 'vitest';
import { nameOf, urlOf } from './http/define-route.ts';
import { roleRuleFor } from './roles.ts';
import { routes as declared } from './routes/all.ts';
import { addMember, asMember } from './testing/members.ts';
import { createProject, unknownId } from './testing/requests.ts';
import { startSuite } from './testing/suite.ts';

const suite = await startSuite();
const { api, send } = suite;
const project = await createProject(send);
const members = {
  read_only: await addMember(suite, project, 'read_only'),
  support: await addMember(suite, project, 'support'),
  developer: await addMember(suite, project, 'developer'),
  owner: await addMember(suite, project, 'owner'),
};

const guarded = declared
  .filter(({ isRoot, access }) => !isRoot && access !== 'anyone')
  .map((route) => ({ route: nameOf(route), method: route.method, url: urlOf(route), rule: roleRuleFor(route) }));

/** Offered to libraries before the reference version only. */
const oldPath = { 'x-stack-client-version': 'js @stackframe/js@2.8.3' };

/** A request that no route carries out: reads get an unknown user, and writes are malformed. */
async function codeOf(method: string, url: string, role: keyof typeof members): Promise<string | undefined> {
  const headers = {
    ...oldPath,
    'x-stack-access-type': 'admin',
    'x-stack-project-id': project.projectId,
    'x-stack-admin-access-token': members[role].accessToken,
    'idempotency-key': 'x'.repeat(1_000),
  };
  // The response of a live stream has no end.
  const answer = await api.app.inject({
    method: method as 'GET',
    url: url.replace(/:\w+/g, unknownId),
    headers,
    payloadAsStream: true,
  });
  answer.stream().destroy();
  return answer.headers['x-stack-known-error']?.toString();
}

describe('roles', () => {
  test.each(guarded)('$route is open to the declared roles', async ({ method, url, rule: { least } }) => {
    for (const role of projectRoles) {
      const isRejected = (await codeOf(method, url, role)) === 'PROJECT_ROLE_REQUIRED';
      expect({ role, isRejected }).toEqual({
        role,
        isRejected: projectRoles.indexOf(role) < projectRoles.indexOf(least),
      });
    }
  });

  const withLeast = (least: string, isRead: boolean) =>
    guarded
      .filter(({ method, rule }) => rule.least === least && (method === 'GET') === isRead)
      .map(({ route }) => route.replace('/api/v1', ''));

  test('let members who only read send no write but previews, exports and their own departure', () => {
    expect(withLeast('read_only', false)).toEqual([
      'POST /internal/user-exports',
      'POST /internal/onboarding/preview-affected-users',
      'DELETE /internal/projects/current/members/me',
      'POST /internal/email-templates/:type/preview',
      'POST /emails/render-email',
      'POST /webhooks/svix-token',
      'POST /internal/previews',
    ]);
  });

  test('reserve members, deletion and operation for owners', () => {
    expect([...withLeast('owner', true), ...withLeast('owner', false)]).toEqual([
      'GET /internal/operations',
      'DELETE /internal/projects/current',
      'DELETE /projects/current',
      'POST /internal/projects/current/restore',
      'POST /internal/projects/current/erase',
      'PUT /internal/projects/current/members/:user_id',
      'DELETE /internal/projects/current/members/:user_id',
      'POST /internal/projects/current/invitations',
      'POST /internal/projects/current/transfer',
      'POST /internal/projects/current/invitations/:invitation_id/resend',
      'DELETE /internal/projects/current/invitations/:invitation_id',
      'POST /internal/operations/rebuilds',
      'POST /internal/operations/projection-versions/:version_id/compare',
      'POST /internal/operations/projection-versions/:version_id/promote',
      'DELETE /internal/operations/projection-versions/:version_id',
      'POST /internal/operations/quarantines/:project_id/release',
    ]);
  });

  test('show secrets to developers', () => {
    expect(withLeast('developer', true)).toEqual([
      'GET /internal/config',
      'GET /internal/config/override/:level',
      'GET /webhooks/endpoints/:endpoint_id/secret',
    ]);
  });

  test('let support change no settings, keys, permissions or webhooks', () => {
    const forbidden = /^\S+ \/(internal\/(projects|config|api-keys|email)|webhooks|email|\w+-permission)/;
    expect(withLeast('support', false).filter((route) => forbidden.test(route))).toEqual([
      'POST /internal/projects',
      'POST /internal/projects/transfer',
      'POST /internal/emails/:email_id/retry',
      'PATCH /emails/notification-preference/:user_id/:category_id',
      'PATCH /emails/outbox/:email_id',
    ]);
  });

  test('let support create no user, who could have a password and an address that nobody proved', async () => {
    const body = { primary_email: 'boss@example.com', primary_email_verified: true, password: 'correct horse' };
    const create = (role: 'support' | 'developer') =>
      send('POST', '/users', asMember(project, members[role], { body }));
    expect((await create('support')).body).toMatchObject({
      code: 'PROJECT_ROLE_REQUIRED',
      details: { role: 'support', required_role: 'developer' },
    });
    expect((await create('developer')).status).toBe(201);
  });

  test('name the fields that need a higher role', () => {
    const ofUser = [
      ...['primary_email', 'primary_email_auth_enabled', 'password', 'password_hash', 'otp_auth_enabled'],
      'totp_secret_base64',
    ];
    const byField = guarded.filter(({ rule }) => Object.keys(rule.fields).length > 0);
    expect(byField.map(({ route, rule }) => [route.replace('/api/v1', ''), Object.keys(rule.fields)])).toEqual([
      ['PATCH /contact-channels/:user_id/:channel_id', ['value', 'used_for_auth', 'is_primary']],
      ['PATCH /users/me', ofUser],
      ['PATCH /users/:user_id', ofUser],
      ['POST /internal/api-keys', ['has_super_secret_admin_key']],
    ]);
  });
});

import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { type Attack, attack } from './attack.ts';
import { mustHold, mustReject } from './outcome.ts';
import { newEmail, newPassword, type Person, type Project, type World } from './world.ts';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const headerOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

async function mustNotLetIn(world: World, project: Project, token: string, what: string): Promise<void> {
  mustReject(await world.send('GET', '/users/me', { ...project, as: token }), what);
}

/** A session in which an administrator acts as the person. */
async function impersonate(world: World, project: Project, person: Person): Promise<string> {
  const body = { user_id: person.userId, is_impersonation: true };
  return (await world.must('POST', '/auth/sessions', { ...project, access: 'server', body })).access_token;
}

export const sessions: readonly Attack[] = [
  attack('T1', 'Claims of an access token are changed', async (world) => {
    const [attacker, victim] = [await world.signUp(world.a), await world.signUp(world.a)];
    const [header = '', , signature = ''] = attacker.accessToken.split('.');
    const claims = { ...claimsOf(attacker.accessToken), sub: victim.userId };
    await mustNotLetIn(world, world.a, `${header}.${part(claims)}.${signature}`, 'changed claims');
  }),
  attack('T2', 'An access token without signature, or signed with HMAC, is accepted', async (world) => {
    const person = await world.signUp(world.a);
    const claims = part(claimsOf(person.accessToken));
    for (const alg of ['none', 'NONE', 'None']) await mustNotLetIn(world, world.a, `${part({ alg })}.${claims}.`, alg);
    const { kid } = headerOf(person.accessToken);
    const jwks = await (
      await fetch(`${world.origin}/api/v1/projects/${world.a.projectId}/.well-known/jwks.json`)
    ).text();
    for (const secret of [jwks, '', 'secret', world.a.keys.client]) {
      const input = `${part({ alg: 'HS256', kid })}.${claims}`;
      const mac = createHmac('sha256', secret).update(input).digest('base64url');
      await mustNotLetIn(world, world.a, `${input}.${mac}`, 'HS256');
    }
  }),
  attack('T3', 'An access token of another project is used', async (world) => {
    const person = await world.signUp(world.b);
    await mustNotLetIn(world, world.a, person.accessToken, 'another project');
  }),
  attack('T4', 'An access token is signed with a key of the attacker’s, named in its header', async (world) => {
    const person = await world.signUp(world.a);
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { kid } = headerOf(person.accessToken);
    const jwk = publicKey.export({ format: 'jwk' });
    for (const more of [
      { kid },
      { kid, jwk },
      { kid: '../../x', jwk },
      { kid, jku: 'http://evil.example/jwks.json' },
      {},
    ]) {
      const input = `${part({ alg: 'ES256', ...more })}.${part(claimsOf(person.accessToken))}`;
      const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString(
        'base64url',
      );
      await mustNotLetIn(world, world.a, `${input}.${signature}`, JSON.stringify(more).slice(0, 40));
    }
  }),
  attack('T5', 'Malformed access tokens are accepted', async (world) => {
    for (const token of ['x', 'a.b.c', '..', 'eyJ.eyJ.x', `${'a'.repeat(5000)}.b.c`, 'Bearer x', '{}', '%00']) {
      await mustNotLetIn(world, world.a, token, token.slice(0, 20));
    }
  }),
  attack('T10', 'Access and refresh token are used after signing out', async (world) => {
    const person = await world.signUp(world.a);
    await world.must('DELETE', '/auth/sessions/current', { ...world.a, as: person.accessToken });
    await mustNotLetIn(world, world.a, person.accessToken, 'access token');
    const headers = { 'x-stack-refresh-token': person.refreshToken };
    mustReject(await world.send('POST', '/auth/sessions/current/refresh', { ...world.a, headers }), 'refresh token');
  }),
  attack('T12', 'Sessions outlive a password change and a reset', async (world) => {
    const person = await world.signUp(world.a);
    const { body: second } = await world.signIn(world.a, person);
    const body = { old_password: person.password, new_password: newPassword() };
    const headers = { 'x-stack-refresh-token': second.refresh_token };
    await world.must('POST', '/auth/password/update', { ...world.a, as: second.access_token, body, headers });
    await mustNotLetIn(world, world.a, person.accessToken, 'after the change');
    await world.resetPassword(world.a, person.email);
    await mustNotLetIn(world, world.a, second.access_token, 'after the reset');
  }),
  attack('T13', 'A user ends another user’s session', async (world) => {
    const [attacker, victim] = [await world.signUp(world.a), await world.signUp(world.a)];
    const { items } = await world.must('GET', '/auth/sessions?user_id=me', { ...world.a, as: victim.accessToken });
    for (const userId of ['me', attacker.userId, victim.userId]) {
      const path = `/auth/sessions/${items[0].id}?user_id=${userId}`;
      mustReject(await world.send('DELETE', path, { ...world.a, as: attacker.accessToken }), userId);
    }
    mustHold(await world.isAlive(world.a, victim.accessToken), 'the session ended');
  }),
  attack('T15', 'A refresh token of another project is used', async (world) => {
    const person = await world.signUp(world.b);
    const headers = { 'x-stack-refresh-token': person.refreshToken };
    mustReject(await world.send('POST', '/auth/sessions/current/refresh', { ...world.a, headers }), 'refreshed');
  }),
  attack('V11', 'An impersonator’s token or the history does not name the impersonator (T20)', async (world) => {
    const person = await world.signUp(world.a);
    const token = await impersonate(world, world.a, person);
    const claims = claimsOf(token);
    mustHold(
      claims.is_impersonation === true || claims.act !== undefined,
      'the token has no claim for the impersonator',
    );
    const { body: history } = await world.send('GET', `/internal/users/${person.userId}/history`, {
      ...world.a,
      access: 'admin',
    });
    mustHold(/impersonat|acting for/i.test(JSON.stringify(history)), 'the history does not name the impersonator');
  }),
  attack(
    'V11',
    'An impersonator changes password, second factor, passkey, address, API key or account (T20)',
    async (world) => {
      const { a } = world;
      const person = await world.signUp(a);
      const as = await impersonate(world, a, person);
      const attempts = [
        ['POST', '/auth/password/update', { old_password: person.password, new_password: newPassword() }],
        ['PATCH', '/users/me', { totp_secret_base64: Buffer.alloc(20, 7).toString('base64') }],
        ['POST', '/auth/passkey/initiate-passkey-registration', {}],
        ['POST', '/contact-channels', { user_id: 'me', type: 'email', value: newEmail(), used_for_auth: true }],
        ['POST', '/user-api-keys', { user_id: 'me', description: 'k', expires_at_millis: null }],
        ['DELETE', '/users/me', {}],
      ] as const;
      for (const [method, path, body] of attempts) {
        mustReject(await world.send(method, path, { ...a, as, body }), `${method} ${path}`);
      }
    },
  ),
];

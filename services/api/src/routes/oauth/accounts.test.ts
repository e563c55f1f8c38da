import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { newPerson, projectsOf, toldError } from '../../testing/oauth.ts';
import { expectKnown, expectPlain, expectSchemaError, newEmail, signUp } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { api, send } = await startSuite();
const projectWith = projectsOf(api);

describe('a provider account with the email of an existing user', () => {
  /** Strategy, owner's address verified, provider vouches: what comes of it. */
  const cases = (['link_method', 'raise_error', 'allow_duplicates'] as const).flatMap((strategy) =>
    [false, true].flatMap((isVerified) =>
      [false, true].map((vouches) => ({
        strategy,
        isVerified,
        vouches,
        outcome:
          strategy === 'allow_duplicates'
            ? ('duplicate' as const)
            : strategy === 'link_method' && isVerified && vouches
              ? ('merged' as const)
              : ('rejected' as const),
      })),
    ),
  );

  test.each(cases)('$strategy, owner verified $isVerified, provider vouches $vouches: $outcome', async (given) => {
    const { strategy, isVerified, vouches, outcome } = given;
    const { signIn, begin, comeBack, project } = await projectWith({ oauth_account_merge_strategy: strategy });
    const owner = await signUp(send, project);
    if (isVerified) {
      const body = { primary_email_verified: true };
      await send('PATCH', `/users/${owner.userId}`, { ...project, access: 'server', body });
    }
    const ann = newPerson({ email: owner.email.toUpperCase(), isEmailVerified: vouches });
    if (outcome === 'rejected') {
      expect(toldError(await comeBack('github', await begin('github'), ann))).toEqual({
        status: 307,
        code: 'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
        details: { type: 'email', contact_channel_value: ann.email },
      });
      const { body } = await send('GET', `/users/${owner.userId}`, { ...project, access: 'server' });
      expect(body.oauth_providers).toEqual([]);
      return;
    }
    const { access_token: as, is_new_user } = await signIn('github', ann);
    const me = (await send('GET', '/users/me', { ...project, as })).body;
    expect({ isOwner: me.id === owner.userId, is_new_user }).toEqual(
      outcome === 'merged' ? { isOwner: true, is_new_user: false } : { isOwner: false, is_new_user: true },
    );
    const channels = (await send('GET', '/contact-channels?user_id=me', { ...project, as })).body.items;
    expect(channels).toMatchObject([
      outcome === 'merged'
        ? { value: owner.email, is_verified: true, used_for_auth: true }
        : { value: ann.email, is_verified: vouches, used_for_auth: false },
    ]);
    expect((await signIn('github', ann)).is_new_user).toBe(false);
  });

  test('an email that is not used for sign-in matches no user', async () => {
    const { signIn, project } = await projectWith();
    const email = newEmail();
    await send('POST', '/users', {
      ...project,
      access: 'server',
      body: { primary_email: email, primary_email_verified: true },
    });
    expect((await signIn('github', newPerson({ email }))).is_new_user).toBe(true);
  });

  test('a password that a stranger set beforehand does not open the account of the real owner', async () => {
    const { begin, comeBack, project } = await projectWith();
    const stranger = await signUp(send, project);
    const owner = newPerson({ email: stranger.email });
    expect(toldError(await comeBack('google', await begin('google'), owner)).code).toBe(
      'CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE',
    );
  });
});

describe('linking', () => {
  type SignedUp = Awaited<ReturnType<typeof signUp>>;
  const sessionIdOf = ({ accessToken }: SignedUp) => String(decodeJwt(accessToken).refresh_token_id);
  const linkTo = (as: string) => ({ type: 'link', token: as });

  test('adds an account that can sign in from then on, even if sign-up is disabled', async () => {
    const { signIn, codeFor, redeem, project } = await projectWith({ sign_up_enabled: false });
    const user = (await send('POST', '/users', { ...project, access: 'server', body: { display_name: 'Ann' } })).body;
    const session = await send('POST', '/auth/sessions', { ...project, access: 'server', body: { user_id: user.id } });
    const account = newPerson();
    const code = await codeFor('github', account, linkTo(session.body.access_token));
    expect((await redeem(code)).body).toMatchObject({ is_new_user: false });
    const { access_token: as } = await signIn('github', account);
    const me = (await send('GET', '/users/me', { ...project, as })).body;
    expect(me).toMatchObject({ id: user.id, primary_email: null });
    expect(me.oauth_providers).toEqual([{ id: 'github', account_id: account.accountId, email: account.email }]);
    await signIn('github', account, linkTo(as));
    expect((await send('GET', '/users/me', { ...project, as })).body.oauth_providers).toHaveLength(1);
  });

  test('rejects a second account of a provider and an account of another user', async () => {
    const { signIn, begin, comeBack, project } = await projectWith();
    const [mine, theirs] = [newPerson(), newPerson()];
    const { access_token: as } = await signIn('github', mine);
    await signIn('google', theirs);
    const link = async (provider: string, account: object) =>
      toldError(await comeBack(provider, await begin(provider, linkTo(as)), account));
    expect(await link('github', newPerson())).toEqual({
      status: 307,
      code: 'USER_ALREADY_CONNECTED_TO_ANOTHER_OAUTH_CONNECTION',
      details: {},
    });
    expect((await link('google', theirs)).code).toBe('OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
    expect((await send('GET', '/users/me', { ...project, as })).body.oauth_providers).toHaveLength(1);
  });

  test('never links the account of a victim who opens an attacker’s link (attack O6: forced linking)', async () => {
    const { begin, comeBack, redeem, signIn, project } = await projectWith();
    const attacker = await signUp(send, project);
    const victim = newPerson();
    // The attacker's link, with the attacker's own verifier, is opened in the victim's browser.
    const opened = await begin('google', linkTo(attacker.accessToken));
    const back = await comeBack('google', opened, victim);
    expect(back.status).toBe(303);
    const server = { ...project, access: 'server' } as const;
    expect((await send('GET', `/users/${attacker.userId}`, server)).body.oauth_providers).toEqual([]);
    // The victim's app has the code and no verifier for it.
    const code = new URL(String(back.headers.location)).searchParams.get('code') ?? '';
    const ofVictim = { code_verifier: 'the-verifier-of-a-request-of-the-victim' };
    expectKnown(await redeem(code, ofVictim), 400, 'INVALID_AUTHORIZATION_CODE');
    const { access_token: as, is_new_user } = await signIn('google', victim);
    expect(is_new_user).toBe(true);
    expect((await send('GET', '/users/me', { ...project, as })).body.id).not.toBe(attacker.userId);
    expect((await send('GET', `/users/${attacker.userId}`, server)).body.oauth_providers).toEqual([]);
  });

  test.each(['before the callback', 'before the code is redeemed'])(
    'by a stolen token ends with the session that it belongs to (attacks O7, G2), %s',
    async (when) => {
      const { begin, comeBack, codeFor, redeem, project } = await projectWith();
      for (const end of [
        (user: SignedUp) => send('DELETE', '/auth/sessions/current', { ...project, as: user.accessToken }),
        (user: SignedUp) => send('DELETE', `/auth/sessions/${sessionIdOf(user)}`, { ...project, access: 'server' }),
        (user: SignedUp) =>
          send('PATCH', `/users/${user.userId}`, {
            ...project,
            access: 'server',
            body: { password: 'a new password' },
          }),
      ]) {
        const victim = await signUp(send, project);
        const thief = newPerson();
        const stolen = linkTo(victim.accessToken);
        if (when === 'before the callback') {
          const gone = await begin('github', stolen);
          expect((await end(victim)).status).toBe(200);
          const told = toldError(await comeBack('github', gone, thief));
          expect(told.code).toBe('REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
        } else {
          const code = await codeFor('github', thief, stolen);
          expect((await end(victim)).status).toBe(200);
          expectKnown(await redeem(code), 401, 'REFRESH_TOKEN_NOT_FOUND_OR_EXPIRED');
        }
        const { body } = await send('GET', `/users/${victim.userId}`, { ...project, access: 'server' });
        expect(body.oauth_providers).toEqual([]);
      }
    },
  );

  test('is rejected if the user was deleted in the meantime', async () => {
    const { begin, comeBack, project } = await projectWith();
    const user = await signUp(send, project);
    const gone = await begin('github', linkTo(user.accessToken));
    await send('DELETE', `/users/${user.userId}`, { ...project, access: 'server' });
    expect(toldError(await comeBack('github', gone, newPerson())).code).toBe('USER_NOT_FOUND');
  });

  test('a deleted user frees the provider account', async () => {
    const { signIn, project } = await projectWith();
    const account = newPerson();
    const { access_token: as } = await signIn('github', account);
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    await send('DELETE', `/users/${id}`, { ...project, access: 'server' });
    const next = await signIn('github', account);
    expect(next.is_new_user).toBe(true);
    expect((await send('GET', '/users/me', { ...project, as: next.access_token })).body.id).not.toBe(id);
  });

  test('deleting a user or a project deletes its accounts', async () => {
    const { signIn, project } = await projectWith();
    const kept = async () => {
      const text = `select from ${api.deps.readModels.schema('main')}.oauth_accounts where project_id = $1`;
      return (await api.pool.query(text, [project.projectId])).rows.length;
    };
    const { access_token: as } = await signIn('github', newPerson());
    await signIn('google', newPerson());
    expect(await kept()).toBe(2);
    const { id } = (await send('GET', '/users/me', { ...project, as })).body;
    await send('DELETE', `/users/${id}`, { ...project, access: 'server' });
    expect(await kept()).toBe(1);
    expect((await send('DELETE', '/internal/projects/current', { ...project, access: 'admin' })).status).toBe(200);
    await expect.poll(kept).toBe(0);
  });

  test('a server can set the accounts of a new user', async () => {
    const { signIn, project } = await projectWith();
    const account = newPerson();
    const create = (oauth_providers: unknown) =>
      send('POST', '/users', { ...project, access: 'server', body: { oauth_providers } });
    const given = { id: 'GitHub', account_id: account.accountId };
    const created = await create([given, given]);
    expect(created.status).toBe(201);
    expect(created.body.oauth_providers).toEqual([{ id: 'github', account_id: account.accountId, email: null }]);
    const { access_token: as } = await signIn('github', account);
    expect((await send('GET', '/users/me', { ...project, as })).body.id).toBe(created.body.id);
    expectKnown(await create([given]), 409, 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER');
    expectPlain(await create([{ id: 'spotify', account_id: 'x' }]), 400);
    expectSchemaError(await create([{ id: 'github' }]), 'account_id');
    expectSchemaError(await create([{ ...given, email: 'none' }]), 'email');
  });
});

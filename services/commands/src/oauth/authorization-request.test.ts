import { DomainError } from '@gatebook/domain/errors';
import { userDecider } from '@gatebook/domain/user/decide';
import { signsInWith } from '@gatebook/domain/user/sign-in-emails';
import { describe, expect, test } from 'vitest';
import { readState } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { ann, config, email, project, redirectUri, withProvider } from '../testing/oauth-world.ts';
import { signUp } from '../testing/people.ts';
import { crashAfter, expectRejection } from '../testing/world.ts';
import { createUser } from '../user/create-user.ts';
import { deleteUser } from '../user/delete-user.ts';
import { connectedAccessToken } from './connected-account.ts';

describe('an authorization request', () => {
  test('stores neither state, verifier nor URLs of the app in clear text', async () => {
    const { deps, begin, finish, plainProviders, eventsOf } = await withProvider();
    const { state, location } = await begin({ afterCallbackRedirectUrl: 'http://localhost:3000/private' });
    expect(new URL(location).searchParams.get('state')).toBe(state);
    await finish(state, ann);
    const [sent, back] = plainProviders.authorizations;
    expect(sent).toEqual(back);
    expect(sent?.verifier).toMatch(/^[\w-]{43}$/);
    const [request, grant] = await eventsOf('CodeIssued');
    for (const text of [JSON.stringify(request?.data), JSON.stringify(grant?.data)]) {
      expect(text).not.toContain(state);
      expect(text).not.toContain(sent?.verifier);
    }
    expect(request?.data.encryptedPayload).toMatchObject({ redirectUri });
    await deps.eraseSubject(request?.data.subjectId ?? '');
    expect((await eventsOf('CodeIssued'))[0]?.data).toMatchObject({ encryptedPayload: null, recipient: null });
  });

  test('has a new verifier each time', async () => {
    const { begin, plainProviders } = await withProvider();
    await begin();
    await begin();
    expect(new Set(plainProviders.authorizations.map((authorization) => authorization.verifier)).size).toBe(2);
  });
});

describe('concurrent requests', () => {
  test('50 first sign-ins of one account make one user', async () => {
    const { codeFor, redeem, eventsOf } = await withProvider();
    const codes = await Promise.all(Array.from({ length: 50 }, () => codeFor(ann)));
    const outcomes = await Promise.allSettled(codes.map((code) => redeem(code)));
    expect(await eventsOf('UserCreated')).toHaveLength(1);
    expect(await eventsOf('OAuthAccountLinked')).toHaveLength(1);
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    // Requests that exhausted their retries fail with a conflict; none of them creates a second user.
    for (const { reason } of failed) expect(reason.name).toBe('ConcurrencyError');
    expect(failed.length).toBeLessThan(50);
  });

  test('two provider accounts and a password sign-up for one address leave one owner', async () => {
    const { deps, ctx, codeFor, redeem, eventsOf } = await withProvider();
    const codes = await Promise.all([0, 1, 0, 1].map((nth) => codeFor({ ...ann, accountId: `account-${nth}` })));
    const outcomes = await Promise.allSettled([
      ...codes.map((code) => redeem(code)),
      signUp(deps, ctx, { email, password: 'correct horse', config }),
    ]);
    const userIds = (await eventsOf('UserCreated')).map(({ data }) => data.userId);
    const users = await Promise.all(userIds.map((id) => readState(deps.store, userDecider, streamOf.user(id))));
    // A provider account with the verified address takes it over from a sign-up that has not verified it.
    expect(users.filter(({ state }) => signsInWith(state, email))).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toBeInstanceOf(DomainError);
      expect(outcome.reason.code).toMatch(/^(USER_EMAIL_ALREADY_EXISTS|CONTACT_CHANNEL_ALREADY_USED)/);
    }
  });
});

describe('an interrupted redemption', () => {
  const died = 'the process died';

  test.each([0, 1, 2, 3, 4, 5])(
    'after %i writes of a sign-up leaves one who can sign in, after 60 s at the latest',
    async (kept) => {
      const { deps, clock, codeFor, redeem, signIn, eventsOf } = await withProvider();
      await expect(redeem(await codeFor(ann), { by: crashAfter(kept, deps) })).rejects.toThrow(died);
      clock.advance(60_000);
      const { userId } = await signIn(ann);
      expect(await eventsOf('UserCreated')).toHaveLength(1);
      expect((await signIn(ann)).userId).toBe(userId);
    },
  );

  test.each([0, 1, 2, 3, 4])(
    'after %i writes of a merge leaves the owner, who signs in with it at the next try',
    async (kept) => {
      const { deps, ctx, clock, codeFor, redeem, signIn, eventsOf } = await withProvider();
      const owner = { primaryEmail: email, primaryEmailVerified: true, primaryEmailAuthEnabled: true };
      const { userId } = await createUser(deps, ctx, { project, ...owner });
      await expect(redeem(await codeFor(ann), { by: crashAfter(kept, deps) })).rejects.toThrow(died);
      clock.advance(60_000);
      expect((await signIn(ann)).userId).toBe(userId);
      expect(await eventsOf('OAuthAccountLinked')).toHaveLength(1);
    },
  );
});

describe('a provider’s tokens', () => {
  const ask = (world: Awaited<ReturnType<typeof withProvider>>, userId: string, scope: string | null = null) =>
    connectedAccessToken(world.deps, world.ctx, { userId, provider: 'github', accountId: null, scope });

  test('are encrypted under the user’s key and unreadable once the user is erased', async () => {
    const world = await withProvider();
    const { userId } = await world.signIn(ann);
    await ask(world, userId);
    await deleteUser(world.deps, world.ctx, { userId });
    const [stored] = await world.eventsOf('ProviderTokensStored');
    expect(stored?.data).toMatchObject({ accessToken: null, refreshToken: null });
    const next = await world.signIn({ ...ann, refreshToken: null });
    expect(next.userId).not.toBe(userId);
    world.clock.advance(3_600_000);
    await expectRejection(ask(world, next.userId), 'OAUTH_CONNECTION_DOES_NOT_HAVE_REQUIRED_SCOPE');
  });

  test('are refreshed with the requested scope and keep all granted scopes', async () => {
    const world = await withProvider();
    const { userId } = await world.signIn(ann, { extraScopes: ['repo'] });
    world.clock.advance(3_600_000);
    await ask(world, userId, 'repo');
    await ask(world, userId, 'user:email');
    expect(world.plainProviders.renewals).toEqual([{ refreshToken: 'refresh-1', scope: 'repo' }]);
    const stored = await world.eventsOf('ProviderTokensStored');
    expect(stored.map(({ data }) => data.scopes)).toEqual(Array(2).fill(['user:email', 'repo']));
  });

  test('refreshed by a concurrent request are reused', async () => {
    const world = await withProvider();
    const { userId } = await world.signIn(ann);
    world.clock.advance(3_600_000);
    const { providers, renewals } = world.plainProviders;
    const first = Promise.withResolvers<void>();
    // As providers do that turn refresh tokens over: the second who brings one is rejected.
    world.deps.oauthProviders = {
      ...providers,
      refresh: async (keys, refreshToken, scope) => {
        if (renewals.length === 0)
          return { ...(await providers.refresh(keys, refreshToken, scope)), refreshToken: 'r2' };
        await first.promise;
        return providers.refresh(keys, 'rejected', scope);
      },
    };
    const winner = ask(world, userId);
    const loser = ask(world, userId);
    winner.then(() => first.resolve(), first.reject);
    expect((await loser).accessToken).toBe((await winner).accessToken);
    expect(renewals.map(({ refreshToken }) => refreshToken)).toEqual(['refresh-1', 'rejected']);
  });
});

import { newEmail, password } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import { pageCases } from './client-app-pages.ts';
import { expectCode, expectOk } from './expectations.ts';
import { type Cases, isUpTo, type Kind, unrelated } from './kinds.ts';
import { page, quietly, type World } from './world.ts';

const unknownCode = 'z'.repeat(45);

async function invited(world: World) {
  const owner = await world.signedUp();
  const team = await owner.user.createTeam({ displayName: 'Band' });
  const guest = await world.signedUp();
  await team.inviteUser({ email: guest.email, callbackUrl: page('team-invitation') });
  return { team, guest, code: await world.codeFor(guest.email) };
}

async function forgetful(world: World) {
  const { app, email } = await world.signedUp();
  expectOk(await app.sendForgotPasswordEmail(email, { callbackUrl: page('password-reset') }));
  return { app, email, code: await world.codeFor(email) };
}

const passwordCases: Cases = {
  signUpWithCredential: async (world) => {
    const app = world.clientApp();
    const email = newEmail();
    expectOk(await app.signUpWithCredential({ email, password, ...quietly }));
    expect(await app.getUser()).toMatchObject({ primaryEmail: email, hasPassword: true, isAnonymous: false });
    const other = world.clientApp();
    const again = await other.signUpWithCredential({ email, password, ...quietly });
    expectCode(again, 'USER_EMAIL_ALREADY_EXISTS');
    const short = await other.signUpWithCredential({ email: newEmail(), password: 'short', ...quietly });
    expectCode(short, 'PASSWORD_TOO_SHORT');
    if (isUpTo('2.8.3', world.version)) return;
    const silent = { email: newEmail(), password, noRedirect: true, noVerificationCallback: true } as const;
    expectOk(await other.signUpWithCredential(silent));
  },
  signInWithCredential: async (world) => {
    const { email, user } = await world.signedUp();
    const app = world.clientApp();
    const wrong = await app.signInWithCredential({ email, password: 'not this one', ...quietly });
    expectCode(wrong, 'EMAIL_PASSWORD_MISMATCH');
    expect(await app.getUser()).toBeNull();
    expectOk(await app.signInWithCredential({ email, password, ...quietly }));
    expect(await app.getUser()).toMatchObject({ id: user.id });
  },
  sendForgotPasswordEmail: async (world) => {
    const { app, code } = await forgetful(world);
    expect(code).toHaveLength(45);
    expectOk(await app.sendForgotPasswordEmail(newEmail(), { callbackUrl: page('password-reset') }));
  },
  verifyPasswordResetCode: async (world) => {
    const { app, code } = await forgetful(world);
    expectOk(await app.verifyPasswordResetCode(code));
    expectCode(await app.verifyPasswordResetCode(unknownCode), 'VERIFICATION_CODE_NOT_FOUND');
  },
  resetPassword: async (world) => {
    const { app, email, code } = await forgetful(world);
    expectOk(await app.resetPassword({ code, password: 'another password' }));
    expectCode(await app.resetPassword({ code, password: 'one more password' }), 'VERIFICATION_CODE_ALREADY_USED');
    expectOk(await app.signInWithCredential({ email, password: 'another password', ...quietly }));
  },
};

const codeCases: Cases = {
  sendMagicLinkEmail: async (world) => {
    const app = world.clientApp();
    expectOk(await app.sendMagicLinkEmail(newEmail(), { callbackUrl: page('magic-link-callback') }));
    const elsewhere = await app.sendMagicLinkEmail(newEmail(), { callbackUrl: 'https://evil.example.org/x' });
    expectCode(elsewhere, 'REDIRECT_URL_NOT_WHITELISTED');
  },
  signInWithMagicLink: async (world) => {
    const app = world.clientApp();
    const email = newEmail();
    await app.sendMagicLinkEmail(email, { callbackUrl: page('magic-link-callback') });
    const code = await world.codeFor(email);
    expectOk(await app.signInWithMagicLink(code, { noRedirect: true }));
    expect(await app.getUser()).toMatchObject({ primaryEmail: email, primaryEmailVerified: true });
    expectCode(await app.signInWithMagicLink(code, { noRedirect: true }), 'VERIFICATION_CODE_ALREADY_USED');
    const sent = await app.sendMagicLinkEmail(email, { callbackUrl: page('magic-link-callback') });
    const typed = `${await world.otpFor(email)}${expectOk<{ nonce: string }>(sent).nonce}`;
    expectOk(await world.clientApp().signInWithMagicLink(typed, { noRedirect: true }));
  },
  verifyEmail: async (world) => {
    const { app, email } = await world.signedUp();
    const code = await world.codeFor(email);
    expectOk(await app.verifyEmail(code));
    expect(await app.getUser()).toMatchObject({ primaryEmailVerified: true });
    expectCode(await app.verifyEmail(code), 'VERIFICATION_CODE_ALREADY_USED');
  },
  verifyTeamInvitationCode: async (world) => {
    const { guest, code } = await invited(world);
    expectOk(await guest.app.verifyTeamInvitationCode(code));
    expectCode(await guest.app.verifyTeamInvitationCode(unknownCode), 'VERIFICATION_CODE_NOT_FOUND');
  },
  getTeamInvitationDetails: async (world) => {
    const { guest, code } = await invited(world);
    expect(await guest.app.getTeamInvitationDetails(code)).toMatchObject({ data: { teamDisplayName: 'Band' } });
  },
  acceptTeamInvitation: async (world) => {
    const { team, guest, code } = await invited(world);
    expectOk(await guest.app.acceptTeamInvitation(code));
    expect((await guest.user.listTeams()).map(({ id }) => id)).toEqual([team.id]);
    expectCode(await guest.app.acceptTeamInvitation(code), 'VERIFICATION_CODE_ALREADY_USED');
  },
  promptCliLogin: async (world) => {
    const { user } = await world.signedUp();
    const { refreshToken } = await user.currentSession.getTokens();
    const approve = (link: string) => {
      const body = { login_code: new URL(link).searchParams.get('login_code'), refresh_token: refreshToken };
      void world.send('POST', '/auth/cli/complete', { ...world.project, body });
    };
    const result = await world.clientApp().promptCliLogin({ appUrl: 'http://localhost:3000', promptLink: approve });
    const tokenStore = { refreshToken: expectOk<string>(result), accessToken: '' };
    expect(await world.clientApp({ tokenStore }).getUser()).toMatchObject({ id: user.id });
  },
};

const sessionCases: Cases = {
  getUser: async (world) => {
    const app = world.clientApp();
    expect(await app.getUser()).toBeNull();
    await expect(app.getUser({ or: 'throw' })).rejects.toThrow();
    const guest = await app.getUser({ or: 'anonymous' });
    expect(guest).toMatchObject({ isAnonymous: true, primaryEmail: null });
    const email = newEmail();
    expectOk(await app.signUpWithCredential({ email, password, ...quietly }));
    const user = await app.getUser({ or: 'throw' });
    expect(user).toMatchObject({ id: guest.id, primaryEmail: email });
    const headers = new Headers(await user.getAuthHeaders());
    expect(await world.clientApp({ tokenStore: { headers } }).getUser()).toMatchObject({ id: user.id });
    return user;
  },
  getPartialUser: async (world) => {
    const { app, user } = await world.signedUp();
    expect(await app.getPartialUser({ from: 'token' })).toMatchObject({ id: user.id, isRestricted: false });
    expect(await world.clientApp().getPartialUser({ from: 'token' })).toBeNull();
    const { accessToken } = await user.currentSession.getTokens();
    const claims = JSON.parse(Buffer.from(accessToken?.split('.')[1] ?? '', 'base64url').toString());
    const ctx = { auth: { getUserIdentity: async () => ({ ...claims, subject: claims.sub }) } };
    expect(await app.getPartialUser({ from: 'convex', ctx })).toMatchObject({ id: user.id, isAnonymous: false });
  },
  signOut: async (world) => {
    const { app } = await world.signedUp();
    await app.signOut();
    expect(await app.getUser()).toBeNull();
  },
  getAccessToken: async (world) => {
    const { app } = await world.signedUp();
    expect(await app.getAccessToken()).toMatch(/^ey/);
    expect(await world.clientApp().getAccessToken()).toBeNull();
  },
  getRefreshToken: async (world) => {
    const { app } = await world.signedUp();
    expect(await app.getRefreshToken()).toMatch(/^[0-9a-z]{45}$/);
    expect(await world.clientApp().getRefreshToken()).toBeNull();
  },
  getAuthHeaders: async (world) => {
    const { app, user } = await world.signedUp();
    const headers = new Headers(await app.getAuthHeaders());
    expect(await world.serverApp({ tokenStore: { headers } }).getUser()).toMatchObject({ id: user.id });
  },
  getAuthorizationHeader: async (world) => {
    const { app, user } = await world.signedUp();
    const headers = new Headers({ authorization: (await app.getAuthorizationHeader()) ?? '' });
    expect(await world.serverApp({ tokenStore: { headers } }).getUser()).toMatchObject({ id: user.id });
  },
  getAuthJson: async (world) => {
    const { app, user } = await world.signedUp();
    const tokenStore = await app.getAuthJson();
    expect(await world.clientApp({ tokenStore }).getUser()).toMatchObject({ id: user.id });
  },
  getConvexClientAuth: async (world) => {
    const { app } = await world.signedUp();
    const getToken = app.getConvexClientAuth({});
    expect(await getToken({ forceRefreshToken: false })).toMatch(/^ey/);
    expect(await getToken({ forceRefreshToken: true })).toMatch(/^ey/);
  },
  getConvexHttpClientAuth: async (world) => {
    const { app, user } = await world.signedUp();
    const { accessToken, refreshToken } = await user.currentSession.getTokens();
    const tokenStore = { accessToken: accessToken ?? '', refreshToken: refreshToken ?? '' };
    expect(await app.getConvexHttpClientAuth({ tokenStore })).toMatch(/^ey/);
  },
  getProject: async (world) => {
    const project = await world.clientApp().getProject();
    expect(project).toMatchObject({ id: world.project.projectId, config: { credentialEnabled: true } });
    return project;
  },
};

const paymentCases: Cases = {
  listProducts: async (world) => {
    const { app, user } = await world.signedUp();
    expect(await app.listProducts({ userId: user.id })).toHaveLength(0);
  },
  listInvoices: unrelated('payments'),
  getItem: unrelated('payments'),
  cancelSubscription: unrelated('payments'),
};

export const clientApp: Kind = {
  name: 'StackClientApp',
  sample: async (world) => world.clientApp(),
  cases: { ...passwordCases, ...codeCases, ...sessionCases, ...paymentCases, ...pageCases },
};

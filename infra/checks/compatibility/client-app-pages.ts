import { newEmail, password } from '@gatebook/api/testing/requests';
import { expect } from 'vitest';
import { totpOf } from '../../testing/totp.ts';
import { addVirtualAuthenticator } from '../../testing/virtual-authenticator.ts';
import { leave, openPage, openSignedUp, signInAtSimulator, userIdOn, waitForText } from './browsing.ts';
import { type Cases, inBrowser } from './kinds.ts';
import type { World } from './world.ts';

const signInCases: Cases = {
  signInWithOAuth: inBrowser(async (world) => {
    const page = await openPage(world);
    const email = newEmail();
    const signIn = async () => {
      await leave(page, () => void window.app.signInWithOAuth('google'));
      await signInAtSimulator(page, email);
      await waitForText(page, `signed in as ${email}`);
    };
    await signIn();
    expect(new URL(page.url()).pathname).toBe('/');
    const first = await userIdOn(page);
    await leave(page, () => window.app.getUser({ or: 'throw' }).then((user) => user.signOut()));
    await waitForText(page, 'signed out');
    await signIn();
    expect(await userIdOn(page)).toBe(first);
  }),
  callOAuthCallback: inBrowser(async (world) => {
    const page = await openPage(world);
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await leave(page, () => void window.app.signInWithOAuth('google'));
    const email = newEmail();
    await signInAtSimulator(page, email);
    await waitForText(page, `signed in as ${email}`);
    const callback = addresses.find((address) => address.includes('/handler/oauth-callback?')) ?? '';
    expect(callback).toContain('code=');
    await page.goto(callback);
    await waitForText(page, 'the client did not go on');

    const denied = await openPage(world);
    await leave(denied, () => void window.app.signInWithOAuth('google'));
    await denied.getByRole('button', { name: 'Deny' }).click();
    await denied.waitForURL(/\/handler\/error\?.*errorCode=OAUTH_PROVIDER_ACCESS_DENIED/);
  }),
  signInWithPasskey: inBrowser(async (world) => {
    const { page, email } = await openSignedUp(world);
    const id = await userIdOn(page);
    await addVirtualAuthenticator(page);
    const registered = await page.evaluate(async () => {
      const user = await window.app.getUser({ or: 'throw' });
      return (await user.registerPasskey()).status;
    });
    expect(registered).toBe('ok');
    await leave(page, () => window.app.getUser({ or: 'throw' }).then((user) => user.signOut()));
    await waitForText(page, 'signed out');
    await leave(page, () => void window.app.signInWithPasskey());
    await waitForText(page, `signed in as ${email}`);
    expect(await userIdOn(page)).toBe(id);
  }),
  signInWithMfa: inBrowser(async (world) => {
    const secret = Buffer.from('12345678901234567890');
    const { email, user } = await world.signedUp();
    await user.update({ totpMultiFactorSecret: new Uint8Array(secret) });
    const page = await openPage(world);
    await leave(page, (given) => void window.app.signInWithCredential(given), { email, password });
    await page.waitForURL(/\/handler\/mfa/);
    await waitForText(page, 'signed out');
    const finish = (otp: string) =>
      page.evaluate(async (typed) => {
        const name = Object.keys(sessionStorage).find((key) => key.endsWith('_mfa_attempt_code')) ?? '';
        const code = sessionStorage.getItem(name) ?? '';
        const result = await window.app.signInWithMfa(typed, code, { noRedirect: true });
        return result.status === 'ok' ? result.status : result.error.errorCode;
      }, otp);
    expect(await finish('000000')).toBe('INVALID_TOTP_CODE');
    expect(await finish(totpOf(secret))).toBe('ok');
    expect(await userIdOn(page)).toBe(user.id);
  }),
};

type Entry = keyof Window['app']['urls'];

/** Follows a redirect to a named page of the app. */
const redirect = (method: `redirectTo${string}`, entry: Entry) =>
  inBrowser(async (world: World) => {
    const page = await openPage(world, '/start?tab=1');
    const expected = await page.evaluate((name) => new URL(window.app.urls[name], location.href).pathname, entry);
    await leave(page, (name) => void (window.app as unknown as Record<string, () => void>)[name]?.(), method);
    await page.waitForURL((url) => url.pathname === expected);
    if (entry !== 'signIn' && entry !== 'signUp') return;
    expect(new URL(page.url()).searchParams.get('after_auth_return_to')).toBe('/start?tab=1');
  });

const entries = [
  ...(['signIn', 'signUp', 'signOut', 'afterSignIn', 'afterSignUp', 'afterSignOut', 'home', 'error'] as const),
  ...(['mfa', 'onboarding', 'cliAuthConfirm', 'oauthCallback', 'magicLinkCallback', 'emailVerification'] as const),
  ...(['forgotPassword', 'passwordReset', 'teamInvitation', 'accountSettings'] as const),
];

/** `redirectToSignIn` for the entry `signIn`. */
function methodFor(entry: Entry): `redirectTo${string}` {
  const name = entry.replace(/^oauth/, 'oAuth');
  return `redirectTo${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export const pageCases: Cases = {
  ...signInCases,
  ...Object.fromEntries(entries.map((entry) => [methodFor(entry), redirect(methodFor(entry), entry)])),
};

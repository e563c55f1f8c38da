import type { Page } from 'playwright-core';
import { choosePassword, requestEmailCode } from '../testing/sign-in-page.ts';
import { accountStates } from './account-states.ts';
import {
  alert,
  answer,
  asMaya,
  asRestricted,
  both,
  code,
  fill,
  maya,
  ok,
  type PageState,
  press,
  reject,
  setCookie,
  silence,
  title,
  type,
  withConfig,
} from './steps.ts';

const enterEmail = both(fill('Email', maya.primary_email), press('Continue'));
const byPassword = both(enterEmail, choosePassword);
const codeSent = answer('/auth/otp/send-sign-in-code', ok({ nonce: code.slice(6) }));
const sendCode = both(enterEmail, requestEmailCode, title('Check your email'));
const enterPassword = both(byPassword, fill('Password', 'not the right one'), press('Sign in'));
const asksForSecondFactor = both(
  answer('/auth/password/sign-in', reject('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, { attempt_code: code })),
  answer('/auth/mfa/sign-in', reject('INVALID_TOTP_CODE', 400)),
);
const goodResetLink = answer('/auth/password/reset/check-code', ok({ is_code_valid: true }));
const cliLink = `cli-auth-confirm?login_code=${code}`;

const withProviders = (...ids: string[]) => withConfig({ enabled_oauth_providers: ids.map((id) => ({ id })) });
const lastUsed = (id: string) => async (page: Page) => {
  await page.addInitScript((provider) => localStorage.setItem('_STACK_AUTH.lastUsed', provider), id);
};
/** A browser that waits for the callback of a provider. */
async function waitsForProvider(page: Page): Promise<void> {
  await setCookie(page, 'stack-oauth-outer-s1', 'v1');
}
/** A tab whose sign-in waits for a second factor. */
const waitsForSecondFactor = async (page: Page) => {
  await page.addInitScript((attemptCode) => sessionStorage.setItem('stack_mfa_attempt_code', attemptCode), code);
};
const providerAnswer = 'oauth-callback?code=c1&state=s1';

export const handlerStates: Readonly<Record<string, PageState>> = {
  ...accountStates,
  'sign-in': { path: 'sign-in' },
  'sign-in-invalid': { path: 'sign-in', act: both(press('Continue'), alert) },
  'sign-in-email-code': { path: 'sign-in', act: enterEmail },
  'sign-in-last-used': { path: 'sign-in', before: lastUsed('password') },
  'sign-in-last-used-passkey': { path: 'sign-in', before: lastUsed('passkey') },
  'sign-in-password': { path: 'sign-in', act: byPassword },
  'sign-in-mismatch': { path: 'sign-in', act: both(enterPassword, alert) },
  'sign-in-passkey-rejected': {
    path: 'sign-in',
    before: answer('/auth/passkey/initiate-passkey-authentication', reject('PASSKEY_AUTHENTICATION_FAILED', 400)),
    act: both(press('Sign in with a passkey'), alert),
  },
  'sign-in-code': { path: 'sign-in', before: codeSent, act: both(sendCode, type('7k3')) },
  'sign-in-code-wrong': {
    path: 'sign-in',
    before: both(codeSent, answer('/auth/otp/sign-in', reject('VERIFICATION_CODE_NOT_FOUND', 404))),
    act: both(sendCode, type('7k3abc'), alert),
  },
  'sign-in-busy': {
    path: 'sign-in',
    before: answer('/auth/otp/send-sign-in-code', silence),
    act: both(enterEmail, requestEmailCode),
  },
  'sign-in-providers': {
    path: 'sign-in',
    before: both(withProviders('google', 'github', 'apple'), lastUsed('github')),
  },
  'sign-in-providers-many': {
    path: 'sign-in',
    before: both(
      withProviders(
        ...['google', 'github', 'microsoft', 'apple', 'discord', 'facebook', 'gitlab', 'bitbucket', 'linkedin'],
        ...['spotify', 'x'],
      ),
      lastUsed('microsoft'),
    ),
  },
  'sign-in-provider-leaving': {
    path: 'sign-in',
    before: both(withProviders('google', 'github'), answer('/auth/oauth/authorize/**', silence)),
    act: press('Sign in with GitHub'),
  },
  'sign-in-provider-rejected': {
    path: 'sign-in',
    before: both(
      withProviders('google', 'github'),
      answer('/auth/oauth/authorize/**', reject('OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED', 400)),
    ),
    act: both(press('Sign in with GitHub'), alert),
  },
  'sign-up-providers': { path: 'sign-up', before: withProviders('google', 'github') },
  'sign-in-loading': { path: 'sign-in', isLoading: true, before: answer('/projects/current', silence) },
  'second-factor': {
    path: 'sign-in',
    before: asksForSecondFactor,
    act: both(enterPassword, title('Two-factor authentication')),
  },
  'second-factor-wrong': {
    path: 'sign-in',
    before: asksForSecondFactor,
    act: both(enterPassword, title('Two-factor authentication'), type('123456'), alert),
  },
  'sign-up': { path: 'sign-up', act: byPassword },
  'sign-up-strength': { path: 'sign-up', act: both(byPassword, fill('Password', 'maya is 21 today')) },
  'sign-up-invalid': {
    path: 'sign-up',
    act: both(byPassword, fill('Email', 'maya'), fill('Password', 'short'), press('Sign up'), alert),
  },
  'sign-up-closed': {
    path: 'sign-up',
    before: withConfig({ sign_up_enabled: false }),
    act: title('Sign-up is closed'),
  },
  'forgot-password': { path: 'forgot-password' },
  'forgot-password-sent': {
    path: 'forgot-password',
    before: answer('/auth/password/send-reset-code', ok({})),
    act: both(fill('Email', maya.primary_email), press('Email me a reset link'), title('Check your email')),
  },
  'password-reset': { path: `password-reset?code=${code}`, before: goodResetLink },
  'password-reset-expired': {
    path: `password-reset?code=${code}`,
    before: answer('/auth/password/reset/check-code', reject('VERIFICATION_CODE_EXPIRED', 400)),
  },
  'password-reset-done': {
    path: `password-reset?code=${code}`,
    before: both(goodResetLink, answer('/auth/password/reset', ok({}))),
    act: both(
      fill('New password', 'a new gate'),
      fill('Repeat password', 'a new gate'),
      press('Set new password'),
      title('Password changed'),
    ),
  },
  'email-verification': { path: `email-verification?code=${code}`, before: asMaya },
  'email-verification-signed-out': { path: `email-verification?code=${code}` },
  'email-verification-done': {
    path: `email-verification?code=${code}`,
    before: both(asMaya, answer('/contact-channels/verify', ok({}))),
    act: both(press('Verify email'), title('Email verified')),
  },
  'email-verification-done-signed-out': {
    path: `email-verification?code=${code}`,
    before: answer('/contact-channels/verify', ok({})),
    act: both(press('Verify without signing in'), title('Email verified')),
  },
  'email-verification-invalid': { path: 'email-verification' },
  'magic-link': { path: `magic-link-callback?code=${code}` },
  'magic-link-used': {
    path: `magic-link-callback?code=${code}`,
    before: answer('/auth/otp/sign-in', reject('VERIFICATION_CODE_ALREADY_USED', 409)),
    act: both(press('Sign in'), title('This link has already been used')),
  },
  'signed-in': { path: `magic-link-callback?code=${code}`, before: asMaya },
  'oauth-callback': {
    path: providerAnswer,
    before: both(waitsForProvider, answer('/auth/oauth/token', silence)),
    act: (page) => page.getByRole('link', { name: 'Go to the home page' }).waitFor(),
  },
  'oauth-callback-failed': {
    path: providerAnswer,
    before: both(
      waitsForProvider,
      answer('/auth/oauth/token', (route) => route.fulfill({ status: 500, body: '' })),
    ),
    act: title('Sign-in failed'),
  },
  'oauth-callback-second-factor': {
    path: providerAnswer,
    before: both(
      waitsForProvider,
      answer('/auth/oauth/token', reject('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, { attempt_code: code })),
    ),
    act: title('Two-factor authentication'),
  },
  'sign-out-failed': {
    path: 'sign-out',
    before: both(
      asMaya,
      answer('/auth/sessions/current', (route) => route.fulfill({ status: 500, body: '' })),
    ),
    act: title('You are still signed in'),
  },
  'cli-confirm': { path: cliLink, before: asMaya },
  'cli-approved': {
    path: cliLink,
    before: both(asMaya, answer('/auth/cli/complete', ok({ success: true }))),
    act: both(press('Approve'), title('Your terminal is signed in')),
  },
  'cli-failed': {
    path: cliLink,
    before: both(
      asMaya,
      answer('/auth/cli/complete', (route) =>
        route.fulfill({
          status: 400,
          contentType: 'text/plain',
          body: 'The login code is not known, has expired, or was used already.',
        }),
      ),
    ),
    act: both(press('Approve'), title('CLI login failed')),
  },
  'report-activity': { path: `report-activity?code=${code}` },
  'report-activity-done': {
    path: `report-activity?code=${code}`,
    before: answer('/auth/activity-reports', ok({ success: true, reset_email_sent: true })),
    act: both(press('Sign out everywhere'), title('Your account is secure')),
  },
  error: { path: 'error?errorCode=OUTER_OAUTH_TIMEOUT&message=The+sign-in+took+too+long.+Sign+in+again.' },
  'error-denied': { path: 'error?errorCode=OAUTH_PROVIDER_ACCESS_DENIED&message=denied' },
  'error-linked-elsewhere': {
    path: 'error?errorCode=OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER&message=taken',
  },
  'error-address-taken': {
    path: 'error?errorCode=CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE&message=taken',
  },
  'error-unknown': { path: 'error' },
  'not-found': { path: 'nowhere' },
  mfa: { path: 'mfa', before: waitsForSecondFactor },
  'mfa-without-sign-in': { path: 'mfa' },
  onboarding: { path: 'onboarding', before: asRestricted },
};

/** Opens a page in one of its states and waits until it is stable. */
export async function openHandlerState(page: Page, origin: string, state: PageState): Promise<void> {
  const { path, before, act, isLoading = false } = state;
  await before?.(page);
  await page.goto(`${origin}/handler/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  if (!isLoading) await page.waitForFunction(() => document.querySelector('.gbh-bones') === null);
  await act?.(page);
  for (const place of await page.locator('.gbh-mark-place').all()) await place.locator('svg').waitFor();
  await page.waitForTimeout(150); // transitions
}

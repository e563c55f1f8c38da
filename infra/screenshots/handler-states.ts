import type { Page, Route } from 'playwright-core';

/** A page of signing in, in one of its states. */
export type HandlerState = {
  /** Below `/handler/`. */
  path: string;
  /** Puts answers of the server in place. */
  before?: (page: Page) => Promise<void>;
  /** What a person does until the state is there. */
  act?: (page: Page) => Promise<void>;
};

const code = '0123456789abcdefghjkmnpqrstvwxyz0123456789abc';
const maya = {
  id: '11111111-1111-4111-8111-111111111111',
  display_name: 'Maya Lindqvist',
  primary_email: 'maya@gatebook.example',
  primary_email_verified: true,
  signed_up_at_millis: 1,
  oauth_providers: [],
  is_anonymous: false,
};

type Answer = (route: Route) => Promise<void>;
const answer = (path: string, how: Answer) => async (page: Page) => {
  await page.route(`**/api/v1${path}`, how);
};
const ok =
  (json: object): Answer =>
  (route) =>
    route.fulfill({ json });
const refuse =
  (errorCode: string, status: number, details: object = {}): Answer =>
  (route) =>
    route.fulfill({
      json: { code: errorCode, error: `Text of ${errorCode}`, details },
      headers: { 'x-stack-known-error': errorCode, 'x-stack-actual-status': String(status) },
    });
const silence: Answer = () => new Promise(() => {});

const both =
  (...steps: ((page: Page) => Promise<void>)[]) =>
  async (page: Page): Promise<void> => {
    for (const step of steps) await step(page);
  };

/** Tokens in form only: whatever asks with them is answered by a route of the state. */
async function asMaya(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const token = `e30.${btoa(JSON.stringify({ exp: 9_999_999_999 }))}.x`;
    // biome-ignore lint/suspicious/noDocumentCookie: the pages read them from there
    document.cookie = 'stack-refresh-internal=r1; Path=/';
    // biome-ignore lint/suspicious/noDocumentCookie: the pages read them from there
    document.cookie = `stack-access=${encodeURIComponent(JSON.stringify(['r1', token]))}; Path=/`;
  });
  await answer('/users/me', ok(maya))(page);
  await page.route('**/api/v1/projects/current', async (route) => {
    const { 'x-stack-access-token': _made, 'x-stack-refresh-token': _up, ...headers } = route.request().headers();
    await route.fulfill({ response: await route.fetch({ headers }) });
  });
}

const title = (name: string) => (page: Page) => page.getByRole('heading', { level: 1, name }).waitFor();
const alert = (page: Page) => page.getByRole('alert').first().waitFor();
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
const fill = (label: string, text: string) => (page: Page) => page.getByLabel(label, { exact: true }).fill(text);
const byPassword = (page: Page) => page.getByRole('tab', { name: 'Password' }).click();
const type = (text: string) => (page: Page) => page.keyboard.type(text);

const codeSent = answer('/auth/otp/send-sign-in-code', ok({ nonce: code.slice(6) }));
const sendCode = both(fill('E-mail', maya.primary_email), press('Mail me a code'), title('Check your mail'));
const enterPassword = both(
  byPassword,
  fill('E-mail', maya.primary_email),
  fill('Password', 'not the right one'),
  press('Sign in'),
);
const asksForSecondFactor = both(
  answer('/auth/password/sign-in', refuse('MULTI_FACTOR_AUTHENTICATION_REQUIRED', 400, { attempt_code: code })),
  answer('/auth/mfa/sign-in', refuse('INVALID_TOTP_CODE', 400)),
);
const goodResetLink = answer('/auth/password/reset/check-code', ok({ is_code_valid: true }));
const cliLink = `cli-auth-confirm?login_code=${code}`;

async function closeSignUp(page: Page): Promise<void> {
  await page.route('**/api/v1/projects/current', async (route) => {
    const json = await (await route.fetch()).json();
    await route.fulfill({ json: { ...json, config: { ...json.config, sign_up_enabled: false } } });
  });
}

export const handlerStates: Readonly<Record<string, HandlerState>> = {
  'sign-in': { path: 'sign-in' },
  'sign-in-fault': { path: 'sign-in', act: both(press('Mail me a code'), alert) },
  'sign-in-password': { path: 'sign-in', act: byPassword },
  'sign-in-mismatch': { path: 'sign-in', act: both(enterPassword, alert) },
  'sign-in-passkey-refused': {
    path: 'sign-in',
    before: answer('/auth/passkey/initiate-passkey-authentication', refuse('PASSKEY_AUTHENTICATION_FAILED', 400)),
    act: both(press('Sign in with a passkey'), alert),
  },
  'sign-in-code': { path: 'sign-in', before: codeSent, act: both(sendCode, type('7k3')) },
  'sign-in-code-wrong': {
    path: 'sign-in',
    before: both(codeSent, answer('/auth/otp/sign-in', refuse('VERIFICATION_CODE_NOT_FOUND', 404))),
    act: both(sendCode, type('7k3abc'), alert),
  },
  'sign-in-busy': {
    path: 'sign-in',
    before: answer('/auth/otp/send-sign-in-code', silence),
    act: both(fill('E-mail', maya.primary_email), press('Mail me a code')),
  },
  'sign-in-loading': { path: 'sign-in', before: answer('/projects/current', silence) },
  'second-factor': { path: 'sign-in', before: asksForSecondFactor, act: both(enterPassword, title('One more step')) },
  'second-factor-wrong': {
    path: 'sign-in',
    before: asksForSecondFactor,
    act: both(enterPassword, title('One more step'), type('123456'), alert),
  },
  'sign-up': { path: 'sign-up', act: byPassword },
  'sign-up-fault': {
    path: 'sign-up',
    act: both(byPassword, fill('E-mail', 'maya'), fill('Password', 'short'), press('Sign up'), alert),
  },
  'sign-up-closed': { path: 'sign-up', before: closeSignUp, act: title('Sign-up is closed') },
  'forgot-password': { path: 'forgot-password' },
  'forgot-password-sent': {
    path: 'forgot-password',
    before: answer('/auth/password/send-reset-code', ok({})),
    act: both(fill('E-mail', maya.primary_email), press('Mail me a link'), title('Check your mail')),
  },
  'password-reset': { path: `password-reset?code=${code}`, before: goodResetLink },
  'password-reset-expired': {
    path: `password-reset?code=${code}`,
    before: answer('/auth/password/reset/check-code', refuse('VERIFICATION_CODE_EXPIRED', 400)),
  },
  'password-reset-done': {
    path: `password-reset?code=${code}`,
    before: both(goodResetLink, answer('/auth/password/reset', ok({}))),
    act: both(
      fill('New password', 'a new gate'),
      fill('Repeat the password', 'a new gate'),
      press('Set this password'),
      title('Your password is changed'),
    ),
  },
  'email-verification': { path: `email-verification?code=${code}` },
  'email-verification-done': {
    path: `email-verification?code=${code}`,
    before: answer('/contact-channels/verify', ok({})),
    act: both(press('Confirm my address'), title('Your address is confirmed')),
  },
  'email-verification-invalid': { path: 'email-verification' },
  'magic-link': { path: `magic-link-callback?code=${code}` },
  'magic-link-used': {
    path: `magic-link-callback?code=${code}`,
    before: answer('/auth/otp/sign-in', refuse('VERIFICATION_CODE_ALREADY_USED', 409)),
    act: both(press('Sign in'), title('This link was used already')),
  },
  'signed-in': { path: `magic-link-callback?code=${code}`, before: asMaya },
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
    act: both(press('Approve'), title('This did not work')),
  },
  error: { path: 'error?errorCode=OUTER_OAUTH_TIMEOUT&message=The+sign-in+took+too+long.+Please+sign+in+again.' },
  'error-denied': { path: 'error?errorCode=OAUTH_PROVIDER_ACCESS_DENIED&message=denied' },
  'error-unknown': { path: 'error' },
  'not-found': { path: 'nowhere' },
};

/** Opens a page in one of its states, and waits until it stands still. */
export async function openHandlerState(page: Page, origin: string, { path, before, act }: HandlerState): Promise<void> {
  await before?.(page);
  await page.goto(`${origin}/handler/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  if (before === undefined || act !== undefined || path !== 'sign-in') {
    await page.locator('.gbh-bones').waitFor({ state: 'detached' });
  }
  await act?.(page);
  await page.waitForTimeout(150); // transitions
}

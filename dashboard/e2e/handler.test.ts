import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserProduct, signInByPassword, startBrowserProduct } from '../../infra/testing/browser-product.ts';
import { noChromium } from '../../infra/testing/chromium.ts';
import { watchLayoutShift } from '../../infra/testing/layout-shift.ts';
import { createMailReader, type Mail } from '../../infra/testing/mails.ts';
import { internalKeys, type Product } from '../../infra/testing/product.ts';
import { choosePassword, requestEmailCode } from '../../infra/testing/sign-in-page.ts';
import { totpOf } from '../../infra/testing/totp.ts';
import { addVirtualAuthenticator } from '../../infra/testing/virtual-authenticator.ts';
import type { Watch } from '../../infra/testing/watched-page.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cli = join(root, 'services/gatebook/src/cli/main.ts');
const email = 'ann@mail.example';
const secret = Uint8Array.from({ length: 20 }, (_, place) => place * 7);
let password = 'correct horse';

let started: BrowserProduct;
let folder: string;
let product: Product;
let browser: Browser;
let watch: Watch;
let page: Page;
let inbox: ReturnType<typeof createMailReader>;

const title = (name: string | RegExp, on: Page = page) => on.getByRole('heading', { level: 1, name }).waitFor();
const press = (name: string, on: Page = page) => on.getByRole('button', { name, exact: true }).click();
const open = (path: string, on: Page = page) => on.goto(`${product.url}${path}`);
const field = (label: string, on: Page = page) => on.getByLabel(label, { exact: true });

async function signOut(): Promise<void> {
  await open('/handler/sign-out');
  await title('Sign in');
}

async function requestCode(): Promise<Mail> {
  await field('Email').fill(email);
  await press('Continue');
  await requestEmailCode(page);
  await title('Check your email');
  return inbox.next(email);
}

/** Calls the API with the server key: a POST if headers are given. */
function asServer(path: string, headers?: Record<string, string>): Promise<Response> {
  return fetch(`${product.url}/api/v1${path}`, {
    method: headers ? 'POST' : 'GET',
    headers: {
      'x-stack-access-type': 'server',
      'x-stack-project-id': 'internal',
      'x-stack-publishable-client-key': internalKeys.client,
      'x-stack-secret-server-key': internalKeys.server,
      ...headers,
    },
  });
}

/** The user as the server returns it. */
async function findUser(): Promise<Record<string, unknown>> {
  const answer = await asServer(`/users?query=${encodeURIComponent(email)}`);
  const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
  return items[0] ?? {};
}

/** Calls the API from the page as the signed-in user. */
function call(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  return page.evaluate(
    async ({ method, path, body, key }) => {
      const cookie = /(?:^|; )stack-access=([^;]+)/.exec(document.cookie)?.[1] ?? '';
      const [, accessToken] = JSON.parse(decodeURIComponent(cookie)) as string[];
      const answer = await fetch(`/api/v1${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          'x-stack-access-type': 'client',
          'x-stack-project-id': 'internal',
          'x-stack-publishable-client-key': key,
          'x-stack-access-token': accessToken ?? '',
        },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
      return answer.json();
    },
    { method, path, body, key: internalKeys.client },
  );
}

type Terminal = { lines: AsyncIterator<string>; ended: Promise<number | null> };

function gatebook(...words: string[]): Terminal {
  const child = spawn(process.execPath, [cli, ...words], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      XDG_CONFIG_HOME: join(folder, 'config'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended };
}

async function readJson({ lines }: Terminal): Promise<Record<string, unknown>> {
  const { value } = await lines.next();
  return JSON.parse(value ?? 'null');
}

describe.skipIf(noChromium)(
  `the handler pages in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      started = await startBrowserProduct('handler', { GATEBOOK_INTERNAL_SIGN_UP: 'open' });
      ({ folder, product, browser, watch, page } = started);
      inbox = createMailReader(product.url);
    });
    afterAll(() => started?.close());

    test('load less than 100 kB for the sign-in page', async () => {
      const fresh = await watch.open({ colorScheme: 'light' });
      await open('/handler/sign-in', fresh);
      await field('Email', fresh).waitFor();
      const bytes = await fresh.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          .map(({ encodedBodySize }) => encodedBodySize)
          .reduce((sum, size) => sum + size, 0),
      );
      await fresh.close();
      expect(bytes).toBeGreaterThan(40_000);
      expect(bytes).toBeLessThan(100_000);
    });

    test.each([1280, 390])('keep their contents in place while they load, at %i px', async (width) => {
      const context = await browser.newContext({ viewport: { width, height: 844 } });
      for (const path of ['/handler/sign-in', '/handler/sign-up', '/handler/forgot-password', '/setup?token=used']) {
        const fresh = await watch.open({ colorScheme: 'light', context });
        const readShift = await watchLayoutShift(fresh);
        // Late, so that the placeholder is painted first.
        await fresh.route('**/api/v1/**', (route) => pause(500).then(() => route.continue()));
        await open(path, fresh);
        await fresh.getByRole('textbox').or(fresh.getByText('restart Gatebook')).first().waitFor();
        expect(await readShift(), path).toBeLessThanOrEqual(0.02);
        await fresh.close();
      }
      await context.close();
    });

    test('sign up and open the dashboard', async () => {
      await open('/');
      await title('Sign in');
      await page.getByRole('link', { name: 'Sign up' }).click();
      await title('Create an account');
      await field('Email').fill(email);
      await press('Continue');
      await choosePassword(page);
      await field('Password').fill(password);
      await field('Repeat password').fill(password);
      await press('Sign up');
      await title('Projects');
      expect(await findUser()).toMatchObject({ primary_email: email, primary_email_verified: false });
    });

    test('verify an email address with the emailed link after confirmation', async () => {
      const { link } = await inbox.next(email);
      await page.goto(link);
      await title('Verify your email address');
      await page.waitForLoadState('networkidle');
      expect(await findUser()).toMatchObject({ primary_email_verified: false });
      await press('Verify email');
      await title('Email verified');
      await expect.poll(findUser).toMatchObject({ primary_email_verified: true });
      await page.goto(link);
      await press('Verify email');
      await title('Email verified');
      await page.getByRole('link', { name: 'Continue' }).click();
      await title('Projects');
    });

    test('sign out from the dashboard', async () => {
      await press('Sign out');
      await title('Sign in');
      await open('/projects');
      await title('Sign in');
      expect(new URL(page.url()).search).toBe('?after_auth_return_to=%2Fprojects');
    });

    test('sign in with the emailed code after a wrong attempt', async () => {
      const { shortCode } = await requestCode();
      expect(shortCode).toMatch(/^[0-9A-Z]{6}$/);
      await page.keyboard.type(shortCode === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA');
      await page.getByRole('alert').waitFor();
      await page.keyboard.type((shortCode ?? '').toLowerCase());
      await title('Projects');
    });

    test('sign in with the emailed link after confirmation and return to the requested page', async () => {
      await signOut();
      const wanted = '/projects?new=1';
      await open(wanted);
      await title('Sign in');
      const { link } = await requestCode();
      // An email scanner opens the link before the user does.
      const scanner = await (await browser.newContext()).newPage();
      await scanner.goto(link);
      await title('Sign in to Gatebook?', scanner);
      await scanner.context().close();
      await page.goto(link);
      await title('Sign in to Gatebook?');
      await press('Sign in');
      await page.getByRole('dialog', { name: 'Create project' }).waitFor();
      expect(page.url()).toBe(product.url + wanted);
      await signOut();
      await page.goto(link);
      await press('Sign in');
      await title('This link has already been used');
    });

    test('reset the password with the emailed link', async () => {
      await open('/handler/sign-in');
      await field('Email').fill(email);
      await press('Continue');
      await choosePassword(page);
      await page.getByRole('link', { name: 'Forgot password?' }).click();
      await title('Reset your password');
      await field('Email').fill(email);
      await press('Email me a reset link');
      await title('Check your email');
      const { link } = await inbox.next(email);
      await page.goto(link);
      await title('Set a new password');
      const old = password;
      password = 'another horse';
      await field('New password').fill(password);
      await field('Repeat password').fill(password);
      await press('Set new password');
      await title('Password changed');
      await page.getByRole('link', { name: 'Sign in' }).click();
      const fresh = password;
      password = old;
      await signInByPassword(page, { email, password });
      await page.getByText('Incorrect email or password').waitFor();
      password = fresh;
      await field('Password').fill(password);
      await press('Sign in');
      await title('Projects');
      await page.goto(link);
      await title('This link has already been used');
    });

    test('send a notice of the new password whose link signs out everywhere after confirmation', async () => {
      const { subject, link } = await inbox.next(email, { kind: 'notice' });
      expect(subject).toMatch(/^Your password for .+ was changed$/);
      await page.goto(link);
      await title('Secure your account?');
      await page.waitForLoadState('networkidle');
      expect(await findUser()).toMatchObject({ has_password: true });
      await press('Sign out everywhere');
      await title('Your account is secure');
      const user = await findUser();
      expect(user).toMatchObject({ has_password: false });
      const sessions = await asServer(`/auth/sessions?user_id=${user.id}`);
      expect(await sessions.json()).toMatchObject({ items: [] });
      // Otherwise the browser would log the 401 of the ended session.
      await page.context().clearCookies();
      const reset = await inbox.next(email);
      await page.goto(reset.link);
      await title('Set a new password');
      await field('New password').fill(password);
      await field('Repeat password').fill(password);
      await press('Set new password');
      await title('Password changed');
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signInByPassword(page, { email, password });
      await title('Projects');
    });

    test('sign in with a passkey, suggested by the browser or by the button', async () => {
      const removeAuthenticator = await addVirtualAuthenticator(page);
      const { options_json: options, code } = await call('POST', '/auth/passkey/initiate-passkey-registration', {});
      const credential = await page.evaluate(async (json) => {
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
          ...json,
          rp: { ...json.rp, id: location.hostname },
        });
        const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
        return made.toJSON();
      }, options as PublicKeyCredentialCreationOptionsJSON);
      await call('POST', '/auth/passkey/register', { credential, code });
      // The authenticator chooses a passkey at once when the browser suggests it, after the first move of the mouse.
      await signOut();
      await page.mouse.move(10, 10);
      await title('Projects');
      await page.addInitScript(() => {
        PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      });
      await signOut();
      // It says that it was used last.
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await title('Projects');
      await removeAuthenticator();
    });

    test('ask for the second factor and accept the current code', async () => {
      await call('PATCH', '/users/me', { totp_secret_base64: Buffer.from(secret).toString('base64') });
      await signOut();
      await signInByPassword(page, { email, password });
      await title('Two-factor authentication');
      const right = totpOf(secret);
      await page.keyboard.type(right === '000000' ? '111111' : '000000');
      await page.getByText('Incorrect code').waitFor();
      await page.keyboard.type(totpOf(secret));
      await title('Projects');
      await call('PATCH', '/users/me', { totp_secret_base64: null });
    });

    test('approve a CLI login that shows the same code', async () => {
      await signOut();
      const terminal = gatebook('login', '--json', '--url', product.url);
      const { link, code_ends_in: ending } = await readJson(terminal);
      expect(String(link)).toMatch(new RegExp(`${ending}$`));
      await page.goto(String(link));
      await title('Sign in');
      await signInByPassword(page, { email, password });
      await title('Approve CLI login?');
      await page.getByText(String(ending), { exact: true }).waitFor();
      await page.getByText('Gatebook Dashboard').waitFor();
      await page.getByText(email).waitFor();
      await press('Approve');
      await title('Your terminal is signed in');
      expect(await readJson(terminal)).toMatchObject({ event: 'signed_in', user: { primary_email: email } });
      expect(await terminal.ended).toBe(0);

      const who = gatebook('whoami', '--json');
      expect(await readJson(who)).toMatchObject({ project_id: 'internal', user: { primary_email: email } });
      expect(await who.ended).toBe(0);
      const { refreshToken } = JSON.parse(await readFile(join(folder, 'config/gatebook/session.json'), 'utf8'));
      expect(await gatebook('logout').ended).toBe(0);
      expect(await gatebook('whoami').ended).toBe(3);
      expect((await asServer('/auth/sessions/current/refresh', { 'x-stack-refresh-token': refreshToken })).status).toBe(
        401,
      );
      // The browser has its own session.
      await open('/projects');
      await title('Projects');
    });

    test('follow the color scheme chosen in the dashboard', async () => {
      const fresh = await watch.open({ colorScheme: 'light' });
      await open('/handler/error', fresh);
      const ground = () => fresh.locator('.gbh').evaluate((element) => getComputedStyle(element).backgroundColor);
      const light = await ground();
      await fresh.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'));
      await fresh.reload();
      await title('Something went wrong', fresh);
      expect([light, await ground()]).toEqual(['rgb(248, 247, 243)', 'rgb(18, 21, 20)']);
    });

    test('can be used with the keyboard only', async () => {
      const fresh = await watch.open({ colorScheme: 'light', context: await browser.newContext() });
      await open('/handler/sign-in', fresh);
      await expect.poll(() => fresh.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
      await fresh.keyboard.type(email);
      await fresh.keyboard.press('Enter');
      await fresh.getByRole('button', { name: 'Email me a code' }).waitFor();
      await fresh.keyboard.press('Tab');
      await fresh.keyboard.press('Enter');
      await expect.poll(() => fresh.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('password');
      await fresh.keyboard.type(password);
      await fresh.keyboard.press('Enter');
      await title('Projects', fresh);
      await fresh.context().close();
    });

    test('cause no browser errors and no third-party requests', () => {
      expect(watch.complaints).toEqual([]);
    });
  },
);

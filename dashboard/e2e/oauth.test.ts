import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDashboard } from '../../infra/testing/build-dashboard.ts';
import { launchChromium, noChromium } from '../../infra/testing/chromium.ts';
import { makeDataFolder } from '../../infra/testing/passable-folder.ts';
import { startOnCopy } from '../../infra/testing/prepared-data.ts';
import { adminOf, type Product } from '../../infra/testing/product.ts';
import { totpOf } from '../../infra/testing/totp.ts';

type Person = { email: string; name: string };
type WireUser = { id: string; primary_email: string; oauth_providers: { id: string; email: string }[] };

const ann: Person = { email: 'ann@mail.example', name: 'Ann Achebe' };
const bob: Person = { email: 'bob@mail.example', name: 'Bob Berg' };
const pastClock = new URL('../../infra/screenshots/past-clock.ts', import.meta.url);
const MINUTE_MS = 60_000;

let folder: string;
let product: Product;
let browser: Browser;
let page: Page;
/** URLs of the callback page with code and state, newest last. */
const callbacks: string[] = [];
/** URLs of all pages shown: none of them must contain a code. */
const shown: string[] = [];

const title = (name: string | RegExp, on: Page = page) => on.getByRole('heading', { level: 1, name }).waitFor();
const press = (name: string | RegExp, on: Page = page) => on.getByRole('button', { name }).click();
const open = (path: string, on: Page = page) => on.goto(`${product.url}${path}`);

async function freshPage(context?: BrowserContext): Promise<Page> {
  const fresh = await (context ?? (await browser.newContext())).newPage();
  fresh.on('request', (request) => {
    if (request.isNavigationRequest() && request.url().includes('/handler/oauth-callback?'))
      callbacks.push(request.url());
  });
  fresh.on('framenavigated', (frame) => shown.push(frame.url()));
  return fresh;
}

const asAdmin = adminOf(() => product);
const configure = (config: object) => asAdmin('PATCH', '/internal/projects/current', { config });

async function usersOf({ email }: Person): Promise<WireUser[]> {
  const { items } = await asAdmin<{ items: WireUser[] }>('GET', `/users?query=${encodeURIComponent(email)}`);
  return items;
}
async function userOf(person: Person): Promise<WireUser> {
  const [user, ...others] = await usersOf(person);
  if (!user || others.length > 0) throw new Error(`${others.length + (user ? 1 : 0)} users have ${person.email}`);
  return user;
}

/** Signs in on the provider's page. */
async function agree({ email, name }: Person, on: Page = page): Promise<void> {
  await title(/^Simulator for/, on);
  await on.getByLabel(/^Email/).fill(email);
  await on.getByLabel(/^Name/).fill(name);
  await press('Sign in', on);
}

async function signInBy(provider: string, person: Person, on: Page = page): Promise<void> {
  await title('Sign in', on);
  await press(new RegExp(`^Sign in with ${provider}`), on);
  await agree(person, on);
}

async function signOut(on: Page = page): Promise<void> {
  await open('/handler/sign-out', on);
  await title('Sign in', on);
}

/** Runs `before` when the browser is about to return from the provider to the server. */
async function interceptCallback(on: Page, before: () => Promise<void>): Promise<void> {
  const devtools = await on.context().newCDPSession(on);
  await devtools.send('Fetch.enable', {
    patterns: [{ urlPattern: '*/auth/oauth/callback/*', requestStage: 'Request' }],
  });
  devtools.on('Fetch.requestPaused', ({ requestId }) => {
    void before().then(() => devtools.send('Fetch.continueRequest', { requestId }));
  });
}

async function moveClock(aheadMs: number): Promise<void> {
  const file = join(folder, 'clock');
  await writeFile(`${file}.new`, String(-aheadMs));
  await rename(`${file}.new`, file); // atomic: readers never see half a file
  if (product) await expect.poll(() => readFile(`${file}.seen`, 'utf8').catch(() => '')).toBe(String(-aheadMs));
}

describe.skipIf(noChromium)(
  `OAuth sign-in in a browser${noChromium ? ` (skipped: ${noChromium})` : ''}`,
  { timeout: testDeadlineMs },
  () => {
    beforeAll(async () => {
      await buildDashboard();
      folder = await makeDataFolder('gatebook-oauth-');
      await moveClock(0);
      product = await startOnCopy(folder, {
        GATEBOOK_RATE_LIMITS: 'off',
        GATEBOOK_INTERNAL_SIGN_UP: 'open',
        NODE_OPTIONS: `--import=${pastClock}`,
        PAST_CLOCK_FILE: join(folder, 'clock'),
      });
      await configure({ oauth_providers: ['google', 'github'].map((id) => ({ id, type: 'shared', enabled: true })) });
      browser = await launchChromium();
      page = await freshPage();
    });
    afterAll(async () => {
      await browser?.close();
      await product?.stop();
      if (folder) await rm(folder, { recursive: true, force: true });
    });

    test('signs up with a provider and returns to the requested page', async () => {
      await open('/projects?new=1');
      await title('Sign in');
      await page.getByRole('link', { name: 'Sign up' }).click();
      await title('Create an account');
      await press('Sign up with GitHub');
      await agree(ann);
      await page.getByRole('dialog', { name: 'Create project' }).waitFor();
      expect(page.url()).toBe(`${product.url}/projects?new=1`);
      expect(await userOf(ann)).toMatchObject({
        display_name: ann.name,
        primary_email: ann.email,
        primary_email_verified: true,
        has_password: false,
        oauth_providers: [{ id: 'github', email: ann.email }],
      });
    });

    test('marks the last used provider, which signs the same user in again', async () => {
      const { id } = await userOf(ann);
      await signOut();
      await page.getByRole('button', { name: 'Sign in with GitHub Last used' }).waitFor();
      await signInBy('GitHub', ann);
      await title('Projects');
      expect((await userOf(ann)).id).toBe(id);
    });

    test('accepts a callback URL once and only in the browser that started the sign-in', async () => {
      await signOut();
      const used = callbacks.at(-1) ?? '';
      expect(new URL(used).searchParams.get('code')).toMatch(/^[0-9a-f]{64}$/);
      await page.goto(used);
      await title('Sign in');
      const other = await freshPage();
      await other.goto(used);
      await title('Sign in', other);
      await other.context().close();
    });

    test('reports a sign-in denied at the provider and offers to retry', async () => {
      await press(/^Sign in with GitHub/);
      await title('Simulator for GitHub');
      await press('Deny');
      await title('Sign-in failed');
      await page.getByRole('link', { name: 'Sign in again' }).click();
      await signInBy('GitHub', ann);
      await title('Projects');
    });

    test('asks for the second factor after the provider', async () => {
      const secret = Uint8Array.from({ length: 20 }, (_, place) => place * 7);
      const { id } = await userOf(ann);
      await asAdmin('PATCH', `/users/${id}`, { totp_secret_base64: Buffer.from(secret).toString('base64') });
      await signOut();
      await signInBy('GitHub', ann);
      await title('Two-factor authentication');
      await page.keyboard.type(totpOf(secret));
      await title('Projects');
      await asAdmin('PATCH', `/users/${id}`, { totp_secret_base64: null });
    });

    test('does not connect an account that belongs to another user', async () => {
      const other = await freshPage();
      await open('/handler/sign-in', other);
      await signInBy('Google', bob, other);
      await title('Projects', other);
      await other.context().close();
      await open('/handler/account-settings#auth');
      await press('Link Google');
      await agree(bob);
      await title('Account not linked');
      await page.getByRole('link', { name: 'Back' }).click();
      await page.getByRole('heading', { level: 2, name: 'Sign-in and security' }).waitFor();
      expect(page.url()).toBe(`${product.url}/handler/account-settings#auth`);
      expect((await userOf(ann)).oauth_providers.map(({ id }) => id)).toEqual(['github']);
    });

    test('connects an account, returns to the account settings and can sign in with it', async () => {
      const work = { email: 'ann@work.example', name: 'Ann' };
      const { id } = await userOf(ann);
      const sessions = async () =>
        (await asAdmin<{ items: object[] }>('GET', `/auth/sessions?user_id=${id}`)).items.length;
      const before = await sessions();
      await open('/handler/account-settings#auth');
      await press('Link Google');
      await agree(work);
      await page.getByRole('listitem').filter({ hasText: work.email }).waitFor();
      expect(await sessions()).toBe(before);
      expect(page.url()).toBe(`${product.url}/handler/account-settings#auth`);
      expect(await page.getByRole('button', { name: /^Link/ }).count()).toBe(0);
      await signOut();
      await signInBy('Google', work);
      await title('Projects');
      expect(await userOf(ann)).toMatchObject({ id, oauth_providers: [{ id: 'github' }, { id: 'google' }] });
    });

    test.each([
      ['link_method', 'Projects', 1],
      ['raise_error', 'Account already exists', 1],
      ['allow_duplicates', 'Projects', 2],
    ] as const)('handles an email that is already in use by merge strategy %s', async (strategy, heading, users) => {
      const person = { email: `${strategy.replace('_', '.')}@mail.example`, name: 'Noor Iyer' };
      await configure({ oauth_account_merge_strategy: strategy });
      const { id } = await asAdmin<WireUser>('POST', '/users', {
        primary_email: person.email,
        primary_email_verified: true,
        primary_email_auth_enabled: true,
        password: 'correct horse',
      });
      const other = await freshPage();
      await open('/handler/sign-in', other);
      await signInBy('GitHub', person, other);
      await title(heading, other);
      await other.context().close();
      const found = await usersOf(person);
      expect(found).toHaveLength(users);
      const linked = found.filter(({ oauth_providers }) => oauth_providers.length > 0).map((user) => user.id === id);
      expect(linked).toEqual(strategy === 'raise_error' ? [] : [strategy === 'link_method']);
    });

    test('rejects new users but not existing ones while sign-up is disabled', async () => {
      await configure({ sign_up_enabled: false });
      const other = await freshPage();
      await open('/handler/sign-in', other);
      await signInBy('GitHub', { email: 'new@mail.example', name: 'New' }, other);
      await title('Sign-up is closed', other);
      await open('/handler/sign-in', other);
      await signInBy('GitHub', ann, other);
      await title('Projects', other);
      await other.context().close();
      await configure({ sign_up_enabled: true });
    });

    test('reports a provider that was removed before leaving the page', async () => {
      const other = await freshPage();
      await open('/handler/sign-in', other);
      await other.getByRole('button', { name: 'Sign in with Google' }).waitFor();
      await configure({ oauth_providers: [{ id: 'github', type: 'shared', enabled: true }] });
      await press('Sign in with Google', other);
      await other.getByRole('alert').getByText('Google is not available right now.').waitFor();
      await other.context().close();
    });

    test('asks to sign in again after a timeout at the provider', async () => {
      const other = await freshPage();
      await interceptCallback(other, () => moveClock(11 * MINUTE_MS));
      await open('/handler/sign-in', other);
      await signInBy('GitHub', ann, other);
      await title('Something went wrong', other);
      await other.getByText('OUTER_OAUTH_TIMEOUT').waitFor();
      await other.getByRole('link', { name: 'Sign in again' }).waitFor();
      await other.context().close();
    });

    test('never keeps an OAuth code or state in a page URL', () => {
      const here = shown.filter(
        (url) => url.startsWith(`${product.url}/`) && !url.includes('/handler/oauth-callback?'),
      );
      expect(here.length).toBeGreaterThan(20);
      expect(here.filter((url) => /[?&](code|state)=/.test(url))).toEqual([]);
      expect(callbacks.length).toBeGreaterThan(8);
    });
  },
);

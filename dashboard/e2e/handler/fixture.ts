import type { Page } from 'playwright-core';
import { createBrowserTest } from '../../../infra/testing/browser-test.ts';
import { createMailReader, type Mail } from '../../../infra/testing/mails.ts';
import { internalKeys } from '../../../infra/testing/product.ts';
import { requestEmailCode } from '../../../infra/testing/sign-in-page.ts';

/** The user of all tests. One of them changes the password. */
export const ann = { email: 'ann@mail.example', password: 'correct horse' };

export const test = createBrowserTest('handler', { GATEBOOK_INTERNAL_SIGN_UP: 'open' })
  .extend('inbox', { scope: 'file' }, ({ product }) => createMailReader(product.url))
  .extend(
    'open',
    ({ product, page }) =>
      (path: string, on: Page = page) =>
        on.goto(`${product.url}${path}`),
  )
  .extend(
    'waitForTitle',
    ({ page }) =>
      (name: string | RegExp, on: Page = page) =>
        on.getByRole('heading', { level: 1, name }).waitFor(),
  )
  .extend(
    'press',
    ({ page }) =>
      (name: string) =>
        page.getByRole('button', { name, exact: true }).click(),
  )
  .extend(
    'field',
    ({ page }) =>
      (label: string, on: Page = page) =>
        on.getByLabel(label, { exact: true }),
  )
  .extend('signOut', ({ open, waitForTitle }) => async (): Promise<void> => {
    await open('/handler/sign-out');
    await waitForTitle('Sign in');
  })
  /** Asks the sign-in page for an email with a code and a link. */
  .extend('requestCode', ({ page, inbox, field, press, waitForTitle }) => async (): Promise<Mail> => {
    await field('Email').fill(ann.email);
    await press('Continue');
    await requestEmailCode(page);
    await waitForTitle('Check your email');
    return inbox.next(ann.email);
  })
  /** Calls the API with the server key: a POST if headers are given. */
  .extend('asServer', ({ product }) => (path: string, headers?: Record<string, string>) => {
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
  })
  /** Reads the user as the server. */
  .extend('findUser', ({ asServer }) => async (): Promise<Record<string, unknown>> => {
    const answer = await asServer(`/users?query=${encodeURIComponent(ann.email)}`);
    const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
    return items[0] ?? {};
  })
  /** Calls the API from the page as the signed-in user. */
  .extend('callAsUser', ({ page }) => (method: string, path: string, body: object) => {
    return page.evaluate(
      async ({ method, path, body, key }): Promise<Record<string, unknown>> => {
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
  });

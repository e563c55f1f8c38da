import { createBrowserTest } from '../../../infra/testing/browser-test.ts';
import { createInternalClient } from '../../../infra/testing/internal-client.ts';

export const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };
export const visitor = { email: 'ann@mail.example', password: 'correct horse' };

/** The project of the owner, as later tests find it. `refreshToken`: of the visitor. */
export const shop = { projectId: '', clientKey: '', teamPath: '', refreshToken: '' };

export const test = createBrowserTest('dashboard')
  .extend('client', { scope: 'file' }, async ({ product }) => {
    const client = createInternalClient(product.url);
    await client.auth.signInWithPassword(owner);
    return client;
  })
  .extend(
    'title',
    ({ page }) =>
      (name: string | RegExp) =>
        page.getByRole('heading', { level: 1, name }),
  )
  .extend(
    'region',
    ({ page }) =>
      (name: string) =>
        page.getByRole('region', { name }),
  )
  .extend(
    'dialog',
    ({ page }) =>
      (name: string) =>
        page.getByRole('dialog', { name }),
  )
  /** Saves the unsaved changes once one of them reads so. */
  .extend('saveChanges', ({ region }) => async (change: string): Promise<void> => {
    await region('Unsaved changes').getByText(change).waitFor();
    await region('Unsaved changes').getByRole('button', { name: 'Save' }).click();
    await region('Unsaved changes').waitFor({ state: 'detached' });
  })
  /** Sends a request of the project's app. */
  .extend('asApp', ({ product }) => {
    return async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${product.url}/api/v1${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          'x-stack-access-type': 'client',
          'x-stack-project-id': shop.projectId,
          'x-stack-publishable-client-key': shop.clientKey,
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    };
  });

import type { Page, Route } from 'playwright-core';

/** A handler page in one of its states. */
export type PageState = {
  /** Below `/handler/`. */
  path: string;
  /** Mocks responses of the server. */
  before?: (page: Page) => Promise<void>;
  /** The page stays in its loading state. */
  isLoading?: boolean;
  /** User actions that lead to the state. */
  act?: (page: Page) => Promise<void>;
};

export const code = '0123456789abcdefghjkmnpqrstvwxyz0123456789abc';
export const maya = {
  id: '11111111-1111-4111-8111-111111111111',
  display_name: 'Maya Lindqvist',
  primary_email: 'maya@gatebook.example',
  primary_email_verified: true,
  signed_up_at_millis: 1,
  oauth_providers: [],
  is_anonymous: false,
};

export type Answer = (route: Route) => Promise<void>;
export const answer = (path: string, how: Answer) => async (page: Page) => {
  await page.route(`**/api/v1${path}`, how);
};
export const ok =
  (json: object): Answer =>
  (route) =>
    route.fulfill({ json });
export const reject =
  (errorCode: string, status: number, details: object = {}): Answer =>
  (route) =>
    route.fulfill({
      json: { code: errorCode, error: `Text of ${errorCode}`, details },
      headers: { 'x-stack-known-error': errorCode, 'x-stack-actual-status': String(status) },
    });
export const silence: Answer = () => new Promise(() => {});

export const both =
  (...steps: ((page: Page) => Promise<void>)[]) =>
  async (page: Page): Promise<void> => {
    for (const step of steps) await step(page);
  };

/** Sets a cookie as the scripts of the pages do. */
export async function setCookie(page: Page, name: string, value: string): Promise<void> {
  await page.context().addCookies([{ name, value, domain: 'localhost', path: '/' }]);
}

/** Signs in with fake tokens; the mocked responses of the state must cover all requests that use them. */
export async function asMaya(page: Page): Promise<void> {
  const token = `e30.${btoa(JSON.stringify({ exp: 9_999_999_999 }))}.x`;
  await setCookie(page, 'stack-refresh-internal', 'r1');
  await setCookie(page, 'stack-access', encodeURIComponent(JSON.stringify(['r1', token])));
  await answer('/users/me', ok(maya))(page);
  await page.route('**/api/v1/projects/current', async (route) => {
    const { 'x-stack-access-token': _made, 'x-stack-refresh-token': _up, ...headers } = route.request().headers();
    await route.fulfill({ response: await route.fetch({ headers }) });
  });
}

/** The same, with an email address that the project wants verified. */
export async function asRestricted(page: Page): Promise<void> {
  await asMaya(page);
  const restricted_reason = { type: 'email_not_verified' };
  await answer(
    '/users/me',
    ok({ ...maya, primary_email_verified: false, is_restricted: true, restricted_reason }),
  )(page);
}

export const title = (name: string) => (page: Page) => page.getByRole('heading', { level: 1, name }).waitFor();
export const alert = (page: Page) => page.getByRole('alert').first().waitFor();
export const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
export const fill = (label: string, text: string) => (page: Page) => page.getByLabel(label, { exact: true }).fill(text);
export const type = (text: string) => (page: Page) => page.keyboard.type(text);

export const withConfig = (config: object) => async (page: Page) => {
  await page.route('**/api/v1/projects/current', async (route) => {
    const json = await (await route.fetch()).json();
    await route.fulfill({ json: { ...json, config: { ...json.config, ...config } } });
  });
};

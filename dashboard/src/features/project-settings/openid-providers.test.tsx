// @vitest-environment happy-dom
import type { IssuerFault, OpenIdProvidersClient } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, renderPage } from '../../testing/render.tsx';
import { OpenIdProviders } from './openid-providers.tsx';

const acme = {
  id: 'acme',
  displayName: 'Acme',
  issuer: 'https://id.acme.example',
  clientId: 'shop',
  clientSecret: 'swordfish',
};
const callbackUrl = 'http://gatebook.test/api/v1/auth/oauth/callback/acme';

function show(client: Partial<OpenIdProvidersClient> = {}) {
  const full: OpenIdProvidersClient = {
    list: async () => [{ ...acme, callbackUrl }],
    set: never,
    remove: never,
    testIssuer: never,
    ...client,
  };
  return renderPage(
    <OpenIdProviders testProvider={never} client={full} projectId="p1" apiUrl="http://gatebook.test" />,
  );
}
const type = (dialog: HTMLElement, label: string, value: string) =>
  fireEvent.change(within(dialog).getByLabelText(label), { target: { value } });

test('a provider is added under an ID that is made of its name', async () => {
  const set = vi.fn(async () => ({ ...acme, callbackUrl }));
  const list = vi.fn(async () => []);
  show({ list, set });
  expect(await screen.findByText('No OpenID Connect providers yet.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Add OpenID Connect provider' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add OpenID Connect provider' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Add provider' }));
  expect(await within(dialog).findByText(/Enter the issuer URL/)).toBeTruthy();
  type(dialog, 'Name', 'Acme (EU)');
  expect((within(dialog).getByLabelText('ID') as HTMLInputElement).value).toBe('acme-eu');
  expect(within(dialog).getByText('http://gatebook.test/api/v1/auth/oauth/callback/acme-eu')).toBeTruthy();
  type(dialog, 'Issuer URL', ' https://id.acme.example ');
  type(dialog, 'Client ID', 'shop');
  type(dialog, 'Client secret', 'swordfish');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Add provider' }));
  await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(2));
  expect(set).toHaveBeenCalledExactlyOnceWith({ ...acme, id: 'acme-eu', displayName: 'Acme (EU)' });
});

test('an ID that is taken is not used again', async () => {
  show();
  fireEvent.click(await screen.findByRole('button', { name: 'Add OpenID Connect provider' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add OpenID Connect provider' });
  await screen.findByRole('button', { name: 'Edit Acme', hidden: true });
  for (const label of ['Issuer URL', 'Client ID', 'Client secret']) type(dialog, label, 'https://x.example');
  type(dialog, 'Name', 'Acme');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Add provider' }));
  expect(await within(dialog).findByText('Another provider has this ID')).toBeTruthy();
});

test('a provider keeps its ID, and another issuer is a risk', async () => {
  const set = vi.fn(async () => ({ ...acme, callbackUrl }));
  show({ set });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit Acme' }));
  const dialog = await screen.findByRole('dialog', { name: 'Acme' });
  expect((within(dialog).getByLabelText('ID') as HTMLInputElement).disabled).toBe(true);
  expect(within(dialog).queryByText(/Change the issuer only if/)).toBeNull();
  type(dialog, 'Issuer URL', 'https://login.acme.example');
  expect(within(dialog).getByText(/Change the issuer only if/)).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await vi.waitFor(() =>
    expect(set).toHaveBeenCalledExactlyOnceWith({ ...acme, issuer: 'https://login.acme.example' }),
  );
});

test.each<[IssuerFault | null, string]>([
  [null, 'The provider’s metadata and keys can be used.'],
  [{ reason: 'issuer_mismatch', detail: 'https://a.example/' }, 'The provider’s issuer is https://a.example/.'],
  [{ reason: 'not_metadata', detail: 'jwks_uri' }, 'missing or can’t be used: jwks_uri'],
  [{ reason: 'not_metadata', detail: null }, 'not with OpenID Connect metadata'],
  [{ reason: 'status', detail: '404' }, 'status 404'],
  [{ reason: 'timeout', detail: null }, 'in time'],
  [{ reason: 'unreachable', detail: null }, 'could not be reached'],
  [{ reason: 'not_allowed', detail: null }, 'public host'],
  [{ reason: 'too_large', detail: null }, 'too large'],
  [{ reason: 'redirect', detail: null }, 'redirects'],
  [{ reason: 'endpoint_not_allowed', detail: 'token_endpoint' }, 'The token_endpoint'],
  [{ reason: 'keys_unusable', detail: 'status' }, 'keys of the provider'],
])('the test of a connection that ends with %j says so', async (fault, text) => {
  const testIssuer = vi.fn(async () => fault);
  show({ testIssuer });
  fireEvent.click(await screen.findByRole('button', { name: 'Edit Acme' }));
  const dialog = await screen.findByRole('dialog', { name: 'Acme' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Test connection' }));
  await vi.waitFor(() =>
    expect(
      within(dialog)
        .getAllByRole('status')
        .map((each) => each.textContent)
        .join(),
    ).toContain(text),
  );
  expect(testIssuer).toHaveBeenCalledExactlyOnceWith(acme.issuer);
});

test('a provider is removed after a question', async () => {
  const remove = vi.fn(async () => {});
  show({ remove });
  fireEvent.click(await screen.findByRole('button', { name: 'Remove Acme' }));
  const dialog = await screen.findByRole('dialog', { name: 'Remove this provider?' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Remove provider' }));
  await vi.waitFor(() => expect(remove).toHaveBeenCalledExactlyOnceWith('acme'));
});

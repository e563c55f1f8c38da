// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { sampleProject } from '../../testing/samples.ts';
import { ProvidersPage } from './providers-page.tsx';
import { bar, save, show, type } from './testing/show-settings-page.tsx';

const google = { id: 'google', type: 'standard', clientId: 'c1', clientSecret: 's1' } as const;
const withGoogle = () => {
  const { config, ...rest } = sampleProject();
  return { ...rest, config: { ...config, oauthProviders: [google] } };
};

test('a provider is added with the project’s own keys, and the dialog shows its callback URL', async () => {
  const update = vi.fn(async () => sampleProject());
  show(ProvidersPage, { client: { update }, value: withGoogle() });
  const card = screen.getByRole('region', { name: 'OAuth providers' });
  fireEvent.click(within(card).getByRole('button', { name: 'Add provider' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add provider' });
  expect(within(dialog).queryByRole('option', { name: 'Google' })).toBeNull();
  fireEvent.change(within(dialog).getByLabelText('Provider'), { target: { value: 'microsoft' } });
  expect(within(dialog).getByText('http://gatebook.test/api/v1/auth/oauth/callback/microsoft')).toBeTruthy();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Add provider' }));
  expect(await within(dialog).findByText(/Enter the client secret/)).toBeTruthy();
  fireEvent.change(within(dialog).getByLabelText('Client ID'), { target: { value: ' c2 ' } });
  fireEvent.change(within(dialog).getByLabelText('Client secret'), { target: { value: 's2' } });
  fireEvent.change(within(dialog).getByLabelText('Tenant ID'), { target: { value: 't2' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Add provider' }));
  const microsoft = { id: 'microsoft', type: 'standard', clientId: 'c2', clientSecret: 's2', microsoftTenantId: 't2' };
  await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ config: { oauthProviders: [google, microsoft] } }));
});

test('a provider can be switched to shared test keys and removed', async () => {
  const update = vi.fn(async () => sampleProject());
  show(ProvidersPage, { client: { update }, value: withGoogle() });
  fireEvent.click(screen.getByRole('button', { name: 'Edit Google' }));
  const dialog = await screen.findByRole('dialog', { name: 'Google' });
  fireEvent.change(within(dialog).getByLabelText('Keys'), { target: { value: 'shared' } });
  expect(within(dialog).queryByLabelText('Client ID')).toBeNull();
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  const shared = [{ id: 'google', type: 'shared' }];
  await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ config: { oauthProviders: shared } }));
  fireEvent.click(screen.getByRole('button', { name: 'Remove Google' }));
  const confirm = await screen.findByRole('dialog', { name: 'Remove this provider?' });
  fireEvent.click(within(confirm).getByRole('button', { name: 'Remove provider' }));
  await vi.waitFor(() => expect(update).toHaveBeenLastCalledWith({ config: { oauthProviders: [] } }));
});

test('the keys of a provider without shared keys are required, whatever was chosen before', async () => {
  const update = vi.fn(async () => sampleProject());
  show(ProvidersPage, { client: { update }, value: sampleProject() });
  fireEvent.click(screen.getByRole('button', { name: 'Add provider' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add provider' });
  fireEvent.change(within(dialog).getByLabelText('Keys'), { target: { value: 'shared' } });
  fireEvent.change(within(dialog).getByLabelText('Provider'), { target: { value: 'discord' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Add provider' }));
  await within(dialog).findByText('Enter the client ID');
  expect(update).not.toHaveBeenCalled();
});

test('shared test keys are offered only for providers that support them', async () => {
  show(ProvidersPage, { value: withGoogle() });
  fireEvent.click(screen.getByRole('button', { name: 'Add provider' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add provider' });
  const offered: string[] = [];
  for (const { value } of within(dialog).getAllByRole<HTMLOptionElement>('option')) {
    if (value === 'standard' || value === 'shared') continue;
    fireEvent.change(within(dialog).getByLabelText('Provider'), { target: { value } });
    if (within(dialog).queryByLabelText('Keys')) offered.push(value);
    expect(within(dialog).getByText(`http://gatebook.test/api/v1/auth/oauth/callback/${value}`)).toBeTruthy();
  }
  expect(offered.toSorted()).toEqual(['github', 'microsoft', 'spotify']);
});

test.each([
  ['link_method', /must have verified the email/],
  ['raise_error', /told that an account with this email exists/],
  ['allow_duplicates', /still sign in to the first one/],
] as const)('merge strategy %s has a description', (oauthAccountMergeStrategy, expected) => {
  const { config, ...rest } = sampleProject();
  show(ProvidersPage, { value: { ...rest, config: { ...config, oauthAccountMergeStrategy } } });
  const select = screen.getByLabelText(/email is already in use/);
  const description = document.getElementById(select.getAttribute('aria-describedby') ?? '');
  expect(description?.textContent).toMatch(expected);
});

test('the merge strategy is saved', async () => {
  const update = vi.fn(async () => sampleProject());
  show(ProvidersPage, { client: { update } });
  await type('If the email is already in use', 'raise_error');
  expect((await bar()).textContent).toContain('Link to the existing account → Reject sign-in');
  await save();
  await vi.waitFor(() =>
    expect(update).toHaveBeenCalledExactlyOnceWith({ config: { oauthAccountMergeStrategy: 'raise_error' } }),
  );
});

test('a provider has steps, a link to its console and a test of its keys', async () => {
  const testProvider = vi.fn(async () => 'keys_rejected' as const);
  show(ProvidersPage, { client: { testProvider }, value: withGoogle() });
  fireEvent.click(screen.getByRole('button', { name: 'Edit Google' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Google' }));
  expect(dialog.getByRole('link', { name: 'Open the console of Google' }).getAttribute('href')).toContain('google.com');
  expect(dialog.getAllByRole('listitem')).toHaveLength(3);
  fireEvent.change(dialog.getByLabelText('Client secret'), { target: { value: 's2' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Test client ID and secret' }));
  expect(await dialog.findByText('The provider rejects client ID or secret.')).toBeTruthy();
  expect(testProvider).toHaveBeenCalledWith({ ...google, clientSecret: 's2' });
});

// @vitest-environment happy-dom
import type { Project, ProjectClient, ProjectSettings, Quotas } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { noAudit } from '../../testing/clients.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { ProjectSettingsPage } from './project-settings-page.tsx';

const sampleSettings = (quotas: Partial<Quotas> = {}): ProjectSettings => ({
  anonymousSignUpEnabled: false,
  keylessClientsAllowed: true,
  securityNoticesEnabled: true,
  breachedPasswordsRejected: true,
  reauthenticationRequired: false,
  emailVerificationRequired: false,
  rejectionRetentionDays: 90,
  userDeletionGraceDays: 0,
  teamDeletionGraceDays: 0,
  projectDeletionGraceDays: 0,
  quotas: {
    teamsPerUser: 100,
    membershipsPerUser: 500,
    apiKeysPerUser: 100,
    apiKeysPerTeam: 100,
    contactChannelsPerUser: 50,
    providerAccountsPerUser: 20,
    sessionsPerUser: 100,
    projectKeys: 100,
    domains: 100,
    permissionDefinitions: 200,
    webhookEndpoints: 50,
    projectsPerOwner: 100,
    ...quotas,
  },
});

function show(client: Partial<ProjectClient> = {}, value: Project | undefined = sampleProject(), error?: unknown) {
  const fullClient: ProjectClient = {
    find: never,
    update: async () => sampleProject(),
    delete: never,
    restore: never,
    erase: never,
    findSettings: async () => sampleSettings(),
    updateSettings: never,
    findPasswordMigration: async () => ({ url: null, secret: null }),
    setPasswordMigration: never,
    ...client,
  };
  const refresh = vi.fn(async () => {});
  const project = { value: error === undefined ? value : undefined, error, isFetching: false, refresh };
  return {
    refresh,
    ...renderPage(
      <ProjectSettingsPage
        client={fullClient}
        openIdProviders={{ list: async () => [], set: never, remove: never, testIssuer: never }}
        audit={noAudit}
        project={project}
        apiUrl="http://gatebook.test"
      />,
    ),
  };
}

test('a failed load can be retried', () => {
  const { refresh } = show({}, undefined, new Error('broken'));
  expect(screen.getByRole('alert').textContent).toContain('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(refresh).toHaveBeenCalledOnce();
});

test('name and description are saved together, with confirmation', async () => {
  const update = vi.fn(async () => sampleProject());
  show({ update });
  const general = screen.getByRole('region', { name: 'General' });
  const save = within(general).getByRole('button', { name: 'Save' }) as HTMLButtonElement;
  expect(save.disabled).toBe(true);
  fireEvent.change(within(general).getByLabelText('Name'), { target: { value: 'Acme Store' } });
  fireEvent.click(save);
  expect(await within(general).findByText('Saved')).toBeTruthy();
  expect(update).toHaveBeenCalledWith({ displayName: 'Acme Store', description: 'The web shop.' });
});

test('a settings switch is saved immediately', async () => {
  const update = vi.fn(async () => sampleProject());
  show({ update });
  const box = screen.getByRole('switch', { name: /^Sign-up/ }) as HTMLInputElement;
  expect(box.checked).toBe(true);
  fireEvent.click(box);
  await vi.waitFor(() => expect(update).toHaveBeenCalledExactlyOnceWith({ config: { signUpEnabled: false } }));
});

test('the retention of failed sign-ins is saved as a number', async () => {
  const updateSettings = vi.fn(async () => sampleSettings());
  show({ updateSettings });
  const security = screen.getByRole('region', { name: 'Security' });
  const field = (await within(security).findByLabelText('Days to keep failed sign-ins')) as HTMLInputElement;
  expect(field.value).toBe('90');
  const save = within(security).getByRole('button', { name: 'Save' });
  fireEvent.change(field, { target: { value: '' } });
  fireEvent.click(save);
  expect(await within(security).findByText('Enter a number of days')).toBeTruthy();
  fireEvent.change(field, { target: { value: '30' } });
  fireEvent.click(save);
  expect(await within(security).findByText('Saved')).toBeTruthy();
  expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ rejectionRetentionDays: 30 });
});

describe('quotas', () => {
  test('are saved if changed, and an empty field resets to the default', async () => {
    let now = sampleSettings({ domains: 7 });
    const updateSettings = vi.fn(async () => {
      now = sampleSettings({ teamsPerUser: 3 });
      return now;
    });
    show({ findSettings: async () => now, updateSettings });
    const quotas = screen.getByRole('region', { name: 'Quotas' });
    const field = (label: string) => within(quotas).getByLabelText(label) as HTMLInputElement;
    await vi.waitFor(() => expect(field('Trusted domains').value).toBe('7'));
    fireEvent.change(field('Teams created per user'), { target: { value: '3' } });
    fireEvent.change(field('Trusted domains'), { target: { value: '' } });
    fireEvent.click(within(quotas).getByRole('button', { name: 'Save' }));
    await vi.waitFor(() => expect(field('Trusted domains').value).toBe('100'));
    expect(field('Teams created per user').value).toBe('3');
    expect(await within(quotas).findByText('Saved')).toBeTruthy();
    expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ quotas: { teamsPerUser: 3, domains: null } });
  });

  test('rejected by the server keep the typed value and show the reason', async () => {
    show({ updateSettings: async () => Promise.reject(new Error('too large')) });
    const quotas = screen.getByRole('region', { name: 'Quotas' });
    const field = await within(quotas).findByLabelText('Sessions per user');
    fireEvent.change(field, { target: { value: '99999' } });
    fireEvent.click(within(quotas).getByRole('button', { name: 'Save' }));
    expect(await within(quotas).findByText('too large')).toBeTruthy();
    expect((field as HTMLInputElement).value).toBe('99999');
  });

  test('per owner are shown for project internal only', async () => {
    show();
    await screen.findByLabelText('Sessions per user');
    expect(screen.queryByLabelText('Projects per owner')).toBeNull();
    show({}, sampleProject({ id: 'internal' }));
    expect(await screen.findByLabelText('Projects per owner')).toBeTruthy();
  });
});

test.each([
  [/^Clients without a publishable key/, 'Require key', { keylessClientsAllowed: false }],
  [/^Require a verified email address/, 'Require verification', { emailVerificationRequired: true }],
])('%s is changed after a confirmation', async (name, confirmLabel, changes) => {
  const updateSettings = vi.fn(async () => sampleSettings());
  show({ updateSettings });
  fireEvent.click(await screen.findByRole('switch', { name }));
  const dialog = await screen.findByRole('dialog');
  expect(updateSettings).not.toHaveBeenCalled();
  fireEvent.click(within(dialog).getByRole('button', { name: confirmLabel }));
  await vi.waitFor(() => expect(updateSettings).toHaveBeenCalledExactlyOnceWith(changes));
});

test.each([
  ['Security notices', 'securityNoticesEnabled'],
  ['Reject breached passwords', 'breachedPasswordsRejected'],
] as const)('%s can be turned off', async (name, setting) => {
  const findSettings = vi.fn(async () => sampleSettings());
  const updateSettings = vi.fn(async () => sampleSettings());
  show({ findSettings, updateSettings });
  const security = screen.getByRole('region', { name: 'Security' });
  const box = (await within(security).findByRole('switch', { name: new RegExp(`^${name}`) })) as HTMLInputElement;
  expect(box.checked).toBe(true);
  findSettings.mockResolvedValue({ ...sampleSettings(), [setting]: false });
  fireEvent.click(box);
  await vi.waitFor(() => expect(box.checked).toBe(false));
  expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ [setting]: false });
});

test.each([
  ['User deletion', 'Days until deleted users are erased', 'userDeletionGraceDays'],
  ['Team deletion', 'Days until deleted teams are erased', 'teamDeletionGraceDays'],
  ['Delete project', 'Days until the deleted project is erased', 'projectDeletionGraceDays'],
] as const)('the grace period under "%s" is saved as a number', async (title, label, setting) => {
  const updateSettings = vi.fn(async () => sampleSettings());
  show({ findSettings: async () => ({ ...sampleSettings(), [setting]: 30 }), updateSettings });
  const card = screen.getByRole('region', { name: title });
  const field = (await within(card).findByLabelText(label)) as HTMLInputElement;
  expect(field.value).toBe('30');
  fireEvent.change(field, { target: { value: '0' } });
  fireEvent.click(within(card).getByRole('button', { name: 'Save' }));
  expect(await within(card).findByText('Saved')).toBeTruthy();
  expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ [setting]: 0 });
});

test('requiring a recent sign-in can be turned on', async () => {
  const updateSettings = vi.fn(async () => ({ ...sampleSettings(), reauthenticationRequired: true }));
  show({ updateSettings });
  const box = (await screen.findByRole('switch', { name: /^Require a recent sign-in/ })) as HTMLInputElement;
  expect(box.checked).toBe(false);
  fireEvent.click(box);
  await vi.waitFor(() => expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ reauthenticationRequired: true }));
});

test('a settings switch that fails to save shows the error and stays unchanged', async () => {
  show({ update: async () => Promise.reject(new Error('not now')) });
  fireEvent.click(screen.getByRole('switch', { name: /^Password/ }));
  expect(await screen.findByText('not now')).toBeTruthy();
  expect((screen.getByRole('switch', { name: /^Password/ }) as HTMLInputElement).checked).toBe(true);
});

test('domains are validated before they are saved', async () => {
  const update = vi.fn(async () => sampleProject());
  show({ update });
  const domains = screen.getByRole('region', { name: 'Domains' });
  fireEvent.click(within(domains).getByRole('button', { name: 'Add domain' }));
  fireEvent.change(within(domains).getByLabelText('Domain'), { target: { value: 'shop.example' } });
  fireEvent.click(within(domains).getByRole('button', { name: 'Save' }));
  expect(await within(domains).findByText(/starts with https/)).toBeTruthy();
  expect(update).not.toHaveBeenCalled();
  fireEvent.change(within(domains).getByLabelText('Domain'), { target: { value: 'https://*.example' } });
  fireEvent.click(within(domains).getByRole('button', { name: 'Save' }));
  expect(await within(domains).findByText(/has an invalid wildcard/)).toBeTruthy();

  fireEvent.change(within(domains).getByLabelText('Domain'), { target: { value: 'https://shop.example' } });
  fireEvent.click(within(domains).getByRole('button', { name: 'Save' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledOnce());
  expect(update).toHaveBeenCalledWith({
    config: { allowLocalhost: true, domains: [{ domain: 'https://shop.example', handlerPath: '/handler' }] },
  });
});

test('production mode cannot be turned on while there are issues', () => {
  show();
  const mode = screen.getByRole('region', { name: 'Production mode' });
  expect(mode.textContent).toContain('Localhost is not allowed in production mode');
  expect((within(mode).getByRole('button', { name: 'Turn on production mode' }) as HTMLButtonElement).disabled).toBe(
    true,
  );
});

test('production mode can be turned on once there are no issues', async () => {
  const update = vi.fn(async () => sampleProject());
  const { config } = sampleProject();
  show({ update }, sampleProject({ config: { ...config, allowLocalhost: false } }));
  fireEvent.click(screen.getByRole('button', { name: 'Turn on production mode' }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ isProductionMode: true }));
});

test('deleting a project requires typing its name', async () => {
  const remove = vi.fn(async () => {});
  const { visited } = show({ delete: remove });
  fireEvent.click(screen.getByRole('button', { name: 'Delete project' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete this project?' });
  const button = within(dialog).getByRole('button', { name: 'Delete project' }) as HTMLButtonElement;
  expect(button.disabled).toBe(true);
  fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: 'Acme Shop' } });
  fireEvent.click(button);
  await vi.waitFor(() => expect(visited).toEqual(['/projects']));
  expect(remove).toHaveBeenCalledOnce();
});

test('project internal cannot be deleted', () => {
  show({}, sampleProject({ id: 'internal' }));
  expect(screen.queryByRole('button', { name: 'Delete project' })).toBeNull();
});

const google = { id: 'google', type: 'standard', clientId: 'c1', clientSecret: 's1' } as const;
const withGoogle = () => {
  const { config, ...rest } = sampleProject();
  return { ...rest, config: { ...config, oauthProviders: [google] } };
};

test('a provider is added with the project’s own keys, and the dialog shows its callback URL', async () => {
  const update = vi.fn(async () => sampleProject());
  show({ update }, withGoogle());
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
  show({ update }, withGoogle());
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

test('shared test keys are offered only for providers that support them', async () => {
  show({}, withGoogle());
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
  show({}, { ...rest, config: { ...config, oauthAccountMergeStrategy } });
  const select = screen.getByLabelText(/email is already in use/);
  const description = document.getElementById(select.getAttribute('aria-describedby') ?? '');
  expect(description?.textContent).toMatch(expected);
});

test('user settings and the merge strategy are saved immediately', async () => {
  const update = vi.fn(async () => sampleProject());
  show({ update });
  fireEvent.click(screen.getByRole('switch', { name: /^Team API keys/ }));
  await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ config: { allowTeamApiKeys: true } }));
  fireEvent.change(screen.getByLabelText(/email is already in use/), { target: { value: 'raise_error' } });
  await vi.waitFor(() =>
    expect(update).toHaveBeenLastCalledWith({ config: { oauthAccountMergeStrategy: 'raise_error' } }),
  );
});

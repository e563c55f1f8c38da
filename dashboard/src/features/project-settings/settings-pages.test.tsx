// @vitest-environment happy-dom
import type {
  ChangesClient,
  EmailConfig,
  EmailsClient,
  Preview,
  Project,
  ProjectClient,
  ProjectSettings,
  Quotas,
} from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import type { ComponentType } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { ChangesContext } from '../../lib/changes.ts';
import { noAudit, noChanges } from '../../testing/clients.ts';
import { never, renderPage } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { DangerPage } from './danger-page.tsx';
import { DomainsPage } from './domains-page.tsx';
import { EmailPage } from './email-page.tsx';
import { GeneralPage } from './general-page.tsx';
import { ProvidersPage } from './providers-page.tsx';
import { SecurityPage } from './security-page.tsx';
import type { SettingsPageProps } from './settings-page.tsx';
import { SignInMethodsPage } from './sign-in-methods-page.tsx';

const sampleSettings = (quotas: Partial<Quotas> = {}): ProjectSettings => ({
  anonymousSignUpEnabled: false,
  keylessClientsAllowed: true,
  securityNoticesEnabled: true,
  breachedPasswordsRejected: true,
  minPasswordLength: 8,
  reauthenticationRequired: false,
  emailVerificationRequired: false,
  sessionLifetimeHours: 8760,
  accessTokenLifetimeSeconds: null,
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

type Shown = {
  client?: Partial<ProjectClient>;
  value?: Project;
  error?: unknown;
  emails?: Partial<EmailsClient>;
  preview?: ChangesClient['preview'];
};

function show(Page: ComponentType<SettingsPageProps>, { client, value, error, emails, preview = never }: Shown = {}) {
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
    testProvider: never,
    testDomain: never,
    ...client,
  };
  const refresh = vi.fn(async () => {});
  const shown = error === undefined ? (value ?? sampleProject()) : undefined;
  const project = { value: shown, error, isFetching: false, refresh };
  const view = renderPage(
    <ChangesContext value={{ ...noChanges, preview }}>
      <Page
        client={fullClient}
        openIdProviders={{ list: async () => [], set: never, remove: never, testIssuer: never }}
        emails={emails as EmailsClient}
        audit={noAudit}
        projectId={(value ?? sampleProject()).id}
        project={project}
        apiUrl="http://gatebook.test"
      />
    </ChangesContext>,
  );
  return { refresh, ...view };
}

const bar = () => screen.findByRole('region', { name: 'Unsaved changes' });
const save = async () => fireEvent.click(within(await bar()).getByRole('button', { name: 'Save' }));
const flip = async (name: RegExp) => fireEvent.click(await screen.findByRole('switch', { name }));
const type = async (label: string, value: string) =>
  fireEvent.change(await screen.findByLabelText(label), { target: { value } });

test('a failed load can be retried', () => {
  const { refresh } = show(GeneralPage, { error: new Error('broken') });
  expect(screen.getByRole('alert').textContent).toContain('broken');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(refresh).toHaveBeenCalledOnce();
});

test('the pages are listed, and the list says which one is open', () => {
  show(GeneralPage);
  const list = within(screen.getByRole('navigation', { name: 'Settings' }));
  expect(list.getByRole('link', { current: 'page' }).textContent).toBe('General');
  expect(list.getByRole('link', { name: 'Danger zone' }).getAttribute('href')).toBe(
    '/projects/p1/settings/danger-zone',
  );
  expect(list.getByRole('link', { name: 'Members' }).getAttribute('href')).toBe('/projects/p1/members');
  expect(document.title).toBe('General · Settings · Acme Shop · Gatebook');
});

describe('unsaved changes', () => {
  test('are shown before and after, and only they are saved', async () => {
    const update = vi.fn(async () => sampleProject());
    show(GeneralPage, { client: { update } });
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
    await type('Name', 'Acme Store');
    await flip(/^Team API keys/);
    expect((await bar()).textContent).toContain('2 unsaved changes');
    expect((await bar()).textContent).toContain('Name: Acme Shop → Acme Store');
    expect((await bar()).textContent).toContain('Team API keys: Off → On');
    expect(update).not.toHaveBeenCalled();
    await save();
    await vi.waitFor(() => expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull());
    expect(update).toHaveBeenCalledExactlyOnceWith({ displayName: 'Acme Store', config: { allowTeamApiKeys: true } });
  });

  test('are gone when they are discarded or changed back', async () => {
    show(GeneralPage);
    await type('Name', 'Acme Store');
    fireEvent.click(within(await bar()).getByRole('button', { name: 'Discard' }));
    expect((screen.getByLabelText('Name') as HTMLInputElement).value).toBe('Acme Shop');
    await flip(/^Account deletion/);
    await bar();
    await flip(/^Account deletion/);
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
  });

  test('show their effects', async () => {
    const effect = { kind: 'users_restricted', count: 12, text: 'Restricts 12 users', permissionId: null };
    const preview = vi.fn(
      async () =>
        ({
          error: null,
          effects: [{ ...effect, people: null, hasMorePeople: false }],
          isReversible: true,
          irreversibleReasons: [],
        }) as unknown as Preview,
    );
    show(SecurityPage, { preview });
    await flip(/^Require a verified email address/);
    expect(await screen.findByText('Restricts 12 users')).toBeTruthy();
    expect(preview).toHaveBeenCalledExactlyOnceWith({
      method: 'PATCH',
      path: '/internal/projects/current/settings',
      body: { email_verification_required: true },
    });
  });

  test('that fail to save stay, with the reason', async () => {
    show(SignInMethodsPage, { client: { update: async () => Promise.reject(new Error('not now')) } });
    await flip(/^Password/);
    await save();
    expect(await within(await bar()).findByText('not now')).toBeTruthy();
    expect((screen.getByRole('switch', { name: /^Password/ }) as HTMLInputElement).checked).toBe(false);
  });
});

test('sign-in methods are saved with the project, anonymous accounts with its settings', async () => {
  const update = vi.fn(async () => sampleProject());
  const updateSettings = vi.fn(async () => sampleSettings());
  show(SignInMethodsPage, { client: { update, updateSettings } });
  await flip(/^Sign-up/);
  await flip(/^Anonymous accounts/);
  await save();
  await vi.waitFor(() => expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ anonymousSignUpEnabled: true }));
  expect(update).toHaveBeenCalledExactlyOnceWith({ config: { signUpEnabled: false } });
});

describe('security settings', () => {
  test.each([
    [/^Security notices/, { securityNoticesEnabled: false }],
    [/^Reject breached passwords/, { breachedPasswordsRejected: false }],
    [/^Require a recent sign-in/, { reauthenticationRequired: true }],
    [/^Clients without a publishable key/, { keylessClientsAllowed: false }],
    [/^Require a verified email address/, { emailVerificationRequired: true }],
  ])('%s can be changed', async (name, changes) => {
    const updateSettings = vi.fn(async () => sampleSettings());
    show(SecurityPage, { client: { updateSettings } });
    await flip(name);
    await save();
    await vi.waitFor(() => expect(updateSettings).toHaveBeenCalledExactlyOnceWith(changes));
  });

  test.each([
    ['Minimum password length', { minPasswordLength: 30 }, 'characters'],
    ['Session lifetime in hours', { sessionLifetimeHours: 30 }, 'hours'],
    ['Days to keep failed sign-ins', { rejectionRetentionDays: 30 }],
    ['Days until deleted users are erased', { userDeletionGraceDays: 30 }],
    ['Days until deleted teams are erased', { teamDeletionGraceDays: 30 }],
  ])('%s are saved as a number', async (label, changes, unit = 'days') => {
    const updateSettings = vi.fn(async () => sampleSettings());
    show(SecurityPage, { client: { updateSettings } });
    await type(label, '');
    await save();
    expect(await screen.findByText(`Enter a number of ${unit}`)).toBeTruthy();
    await type(label, '30');
    await save();
    await vi.waitFor(() => expect(updateSettings).toHaveBeenCalledExactlyOnceWith(changes));
  });
});

test('an empty access token lifetime is the default of the installation', async () => {
  const updateSettings = vi.fn(async () => sampleSettings());
  const settings = { ...sampleSettings(), accessTokenLifetimeSeconds: 120 };
  show(SecurityPage, { client: { findSettings: async () => settings, updateSettings } });
  await type('Access token lifetime in seconds', '');
  expect((await bar()).textContent).toContain('Access token lifetime in seconds: 120 seconds → default');
  await save();
  const changes = { accessTokenLifetimeSeconds: null };
  await vi.waitFor(() => expect(updateSettings).toHaveBeenCalledExactlyOnceWith(changes));
});

describe('quotas', () => {
  test('are saved if changed, and an empty field resets to the default', async () => {
    let now = sampleSettings({ domains: 7 });
    const updateSettings = vi.fn(async () => {
      now = sampleSettings({ teamsPerUser: 3 });
      return now;
    });
    show(SecurityPage, { client: { findSettings: async () => now, updateSettings } });
    await type('Teams created per user', '3');
    await type('Trusted domains', '');
    expect((await bar()).textContent).toContain('Trusted domains: 7 → default');
    await save();
    const field = screen.getByLabelText('Trusted domains') as HTMLInputElement;
    await vi.waitFor(() => expect(field.value).toBe('100'));
    expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ quotas: { teamsPerUser: 3, domains: null } });
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
  });

  test('per owner are shown for project internal only', async () => {
    show(SecurityPage);
    await screen.findByLabelText('Sessions per user');
    expect(screen.queryByLabelText('Projects per owner')).toBeNull();
    show(SecurityPage, { value: sampleProject({ id: 'internal' }) });
    expect(await screen.findByLabelText('Projects per owner')).toBeTruthy();
  });
});

test('domains are validated before they are saved', async () => {
  const update = vi.fn(async () => sampleProject());
  show(DomainsPage, { client: { update } });
  fireEvent.click(screen.getByRole('button', { name: 'Add domain' }));
  await type('Domain', 'shop.example');
  await save();
  expect(await screen.findByText(/starts with https/)).toBeTruthy();
  await type('Domain', 'https://*.example');
  await save();
  expect(await screen.findByText(/has an invalid wildcard/)).toBeTruthy();
  expect(update).not.toHaveBeenCalled();
  await type('Domain', 'https://shop.example');
  expect((await bar()).textContent).toContain('Domains: none → https://shop.example (/handler)');
  await save();
  await vi.waitFor(() => expect(update).toHaveBeenCalledOnce());
  expect(update).toHaveBeenCalledWith({
    config: { domains: [{ domain: 'https://shop.example', handlerPath: '/handler' }] },
  });
});

describe('production mode', () => {
  test('cannot be turned on while domains are not secure', () => {
    const { config } = sampleProject();
    const domains = ['https://ok.example', 'http://shop.example'].map((domain) => ({
      domain,
      handlerPath: '/handler',
    }));
    show(GeneralPage, { value: sampleProject({ config: { ...config, allowLocalhost: true, domains } }) });
    const mode = screen.getByRole('region', { name: 'Production mode' });
    expect(
      within(mode)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual(['“Allow localhost” is on.', 'http://shop.example does not use HTTPS.']);
    expect(within(mode).getByRole('link', { name: 'domains' }).getAttribute('href')).toBe(
      '/projects/p1/settings/domains',
    );
    expect((within(mode).getByRole('switch') as HTMLInputElement).disabled).toBe(true);
  });

  test('can be turned on once there are none', async () => {
    const update = vi.fn(async () => sampleProject());
    const { config } = sampleProject();
    show(GeneralPage, { client: { update }, value: sampleProject({ config: { ...config, allowLocalhost: false } }) });
    await flip(/^Production mode/);
    await save();
    await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ isProductionMode: true }));
  });
});

describe('the danger zone', () => {
  test('deletes a project after its name is typed', async () => {
    const remove = vi.fn(async () => {});
    const { visited } = show(DangerPage, { client: { delete: remove } });
    fireEvent.click(await screen.findByRole('button', { name: 'Delete project' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete this project?' });
    const button = within(dialog).getByRole('button', { name: 'Delete project' }) as HTMLButtonElement;
    expect(button.disabled).toBe(true);
    fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: 'Acme Shop' } });
    fireEvent.click(button);
    await vi.waitFor(() => expect(visited).toEqual(['/projects']));
    expect(remove).toHaveBeenCalledOnce();
  });

  test('saves the grace period of the project', async () => {
    const updateSettings = vi.fn(async () => sampleSettings());
    show(DangerPage, { client: { updateSettings } });
    await type('Days until the deleted project is erased', '30');
    await save();
    await vi.waitFor(() => expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ projectDeletionGraceDays: 30 }));
  });

  test('does not delete project internal', () => {
    show(DangerPage, { value: sampleProject({ id: 'internal' }) });
    expect(screen.queryByRole('button', { name: 'Delete project' })).toBeNull();
  });
});

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

test('an edit that is reverted, or that the chosen sender does not save, is not a change', async () => {
  show(EmailPage, { value: sampleProject() });
  const choose = (value: string) => fireEvent.change(screen.getByLabelText('Sender'), { target: { value } });
  choose('standard');
  fireEvent.change(screen.getByLabelText('SMTP host'), { target: { value: 'smtp.example.com' } });
  const bar = await screen.findByRole('region', { name: 'Unsaved changes' });
  expect(bar.textContent).toContain('SMTP host');
  choose('shared');
  expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
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

const ownServer: EmailConfig = {
  type: 'standard',
  host: 'smtp.example.com',
  port: 587,
  username: 'u',
  password: 'p',
  senderName: 'Shop',
  senderEmail: 'shop@example.com',
};

test('an SMTP server is validated, tested and saved', async () => {
  const sendTest = vi.fn(async () => 'The SMTP server rejected the username or password.');
  const update = vi.fn(async () => sampleProject());
  show(EmailPage, { client: { update }, emails: { sendTest } });
  await type('Sender', 'standard');
  await save();
  expect(await screen.findByText('Enter a hostname')).toBeTruthy();
  expect(update).not.toHaveBeenCalled();
  const { type: _, port, ...texts } = ownServer;
  await type('SMTP host', texts.host);
  await type('Username', texts.username);
  await type('Password', texts.password);
  await type('Sender name', texts.senderName);
  await type('Sender email', texts.senderEmail);
  expect((await bar()).textContent).toContain('Password: empty → hidden');
  await type('Send a test email to', 'me@example.com');
  fireEvent.click(screen.getByRole('button', { name: 'Send test email' }));
  expect(await screen.findByText('The SMTP server rejected the username or password.')).toBeTruthy();
  expect(sendTest).toHaveBeenCalledWith('me@example.com', { ...texts, port });
  await save();
  await vi.waitFor(() => expect(update).toHaveBeenCalledWith({ config: { emailConfig: ownServer } }));
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

test('a domain is tested before it is saved, and a wildcard can’t be', async () => {
  const url = 'https://shop.example/handler/sign-in';
  const testDomain = vi.fn(async () => ({ url, status: 404, reason: null }));
  show(DomainsPage, { client: { testDomain } });
  fireEvent.click(screen.getByRole('button', { name: 'Add domain' }));
  await type('Domain', 'https://*.shop.example');
  expect(await screen.findByText(/can’t be tested/)).toBeTruthy();
  await type('Domain', 'https://shop.example');
  fireEvent.click(screen.getByRole('button', { name: 'Test https://shop.example' }));
  expect(await screen.findByText(/there is no page. Check the handler path/)).toBeTruthy();
  expect(testDomain).toHaveBeenCalledWith({ domain: 'https://shop.example', handlerPath: '/handler' });
});

// @vitest-environment happy-dom
import type { EmailConfig, Preview } from '@gatebook/js/admin';
import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { sampleProject } from '../../testing/samples.ts';
import { DangerPage } from './danger-page.tsx';
import { DomainsPage } from './domains-page.tsx';
import { EmailPage } from './email-page.tsx';
import { GeneralPage } from './general-page.tsx';
import { SecurityPage } from './security-page.tsx';
import { SignInMethodsPage } from './sign-in-methods-page.tsx';
import { bar, flip, sampleSettings, save, show, type } from './testing/show-settings-page.tsx';

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
    const call = {
      method: 'PATCH',
      path: '/internal/projects/current/settings',
      body: { email_verification_required: true },
    };
    expect(preview).toHaveBeenCalledExactlyOnceWith(call, undefined);
  });

  test('that fail to save stay, with the reason', async () => {
    show(SignInMethodsPage, { client: { update: async () => Promise.reject(new Error('not now')) } });
    await flip(/^Password/);
    await save();
    expect(await within(await bar()).findByText('not now')).toBeTruthy();
    expect((screen.getByRole('switch', { name: /^Password/ }) as HTMLInputElement).checked).toBe(false);
  });
});

test('the branding is shown as it is typed, and saved with the settings', async () => {
  const update = vi.fn(async () => sampleProject());
  const updateSettings = vi.fn(async () => sampleSettings());
  show(GeneralPage, { client: { update, updateSettings } });
  await type('Logo URL', 'logo.png');
  await save();
  expect(await screen.findByText('Enter a URL that starts with https://')).toBeTruthy();
  expect(updateSettings).not.toHaveBeenCalled();
  await type('Logo URL', 'https://example.com/logo.png');
  await type('Accent color', '#ffdd00');
  const [light, dark] = within(screen.getByRole('group', { name: 'Preview' })).getAllByAltText('Logo of Acme Shop');
  expect([light?.getAttribute('src'), dark?.getAttribute('src')]).toEqual(
    Array(2).fill('https://example.com/logo.png'),
  );
  await save();
  const branding = { logoUrl: 'https://example.com/logo.png', accentColor: '#ffdd00' };
  await vi.waitFor(() => expect(updateSettings).toHaveBeenCalledExactlyOnceWith({ branding }));
  expect(update).not.toHaveBeenCalled();
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

const ownServer: EmailConfig = {
  type: 'standard',
  host: 'smtp.example.com',
  port: 587,
  username: 'u',
  password: 'p',
  senderName: 'Shop',
  senderEmail: 'shop@example.com',
};

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

// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { sampleProject } from '../../testing/samples.ts';
import { SecurityPage } from './security-page.tsx';
import { bar, flip, sampleSettings, save, show, type } from './testing/show-settings-page.tsx';

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

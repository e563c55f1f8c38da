// @vitest-environment happy-dom
import type { Metrics, ProjectKey } from '@gatebook/js/admin';
import { ConnectionError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { pending } from '../../testing/render.tsx';
import { sampleProject } from '../../testing/samples.ts';
import { full, none, show, showPage } from './testing/overview.tsx';

function metric(label: string): string {
  return screen.getByText(label).parentElement?.textContent ?? '';
}

test('shows a loading state', () => {
  show(() => pending<Metrics>());
  expect(screen.getByRole('status', { name: 'Loading metrics' })).toBeTruthy();
  expect(document.title).toBe('Overview · Acme Shop · Gatebook');
});

test('metrics can be reloaded after a connection error', async () => {
  const find = vi
    .fn()
    .mockRejectedValueOnce(new ConnectionError(false, {}, null))
    .mockResolvedValue(full);
  show(find);
  expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('12,345')).toBeTruthy();
});

test('leads to the next step of the setup until all are done', async () => {
  show(async () => none, sampleProject({ userCount: 0 }));
  const hint = await screen.findByRole('region', { name: 'Setup' });
  expect(hint.textContent).toContain('0 of 6 steps done');
  expect(within(hint).getByRole('link', { name: 'Sign up the first user' }).getAttribute('href')).toBe(
    '/projects/p1/get-started',
  );
  expect(screen.queryByRole('heading', { name: 'Latest sign-ups' })).toBeNull();
});

test('shows no hint once the project is ready for production', async () => {
  const { config } = sampleProject();
  const emailConfig = {
    type: 'standard',
    host: 'smtp.example.com',
    port: 587,
    username: 'a',
    password: 'b',
    senderName: 'Acme',
    senderEmail: 'hi@example.com',
  } as const;
  const domains = [{ domain: 'https://acme.example', handlerPath: '/handler' }];
  const branding = { ...config.branding, accentColor: '#1c7a60' };
  const ready = { ...config, passkeyEnabled: true, domains, emailConfig, branding };
  show(async () => full, sampleProject({ isProductionMode: true, config: ready }));
  await screen.findByText('12,345');
  expect(screen.queryByRole('region', { name: 'Setup' })).toBeNull();
});

test('shows metrics, latest sign-ups and sign-in methods', async () => {
  show(async () => full);
  await screen.findByText('12,345');
  expect(metric('New in the last 7 days')).toContain('5');
  expect(metric('New in the last 7 days')).toContain('3 more than last week');
  expect(metric('New today')).toContain('4');
  expect(metric('Active today')).toContain('7');
  const latest = await screen.findByRole('region', { name: 'Latest sign-ups' });
  const people = within(latest).getAllByRole('link');
  expect(people[1]?.getAttribute('href')).toContain('/projects/p1/users/');
  expect(people[2]?.textContent).toContain('ann@example.com');
  const methods = screen.getByRole('region', { name: 'Sign-in methods' });
  expect(methods.textContent).toContain('GitHub345 · 3%');
});

test('a project without users leads to Get started and has no charts', async () => {
  const { client } = show(async () => none);
  const link = await screen.findByRole('link', { name: 'Get started' });
  expect(link.getAttribute('href')).toBe('/projects/p1/get-started');
  // Only what the first cards need is read before the figures are there.
  expect(client.count).toHaveBeenCalledTimes(3);
  expect(screen.queryByRole('region', { name: 'Sign-ups' })).toBeNull();
});

test('warns of project keys that expire within 30 days, the first one by name', async () => {
  const key = (description: string, days: number): ProjectKey => ({
    id: description,
    description,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + days * 86_400_000),
    manuallyRevokedAt: null,
    lastUsedAt: null,
    lastFour: { publishableClientKey: null, secretServerKey: 'ab12', superSecretAdminKey: null },
  });
  showPage({ keys: [key('Website', 9), key('Backend', 300)] });
  const warning = await screen.findByRole('alert');
  expect(warning.textContent).toContain('“Website” expires');
  expect(within(warning).getByRole('link', { name: 'Rotate it' }).getAttribute('href')).toBe(
    '/projects/p1/settings/keys',
  );
});

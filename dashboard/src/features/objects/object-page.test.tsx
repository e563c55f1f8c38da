// @vitest-environment happy-dom

import type { AuditClient, AuditEvent, StateDiff } from '@gatebook/js/admin';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { ObjectType } from '../../components/audit/target-pages.ts';
import { noAudit } from '../../testing/clients.ts';
import { renderPage } from '../../testing/render.tsx';
import { annId, sampleAuditEvent } from '../../testing/samples.ts';
import type { PastClient } from './last-state.tsx';
import { ObjectPage } from './object-page.tsx';

const id = '33333333-3333-4333-8333-333333333333';
const at = new Date('2026-03-01T10:00:00Z');
const target = (type: string, displayName: string | null, targetId = id) => ({
  ...{ type, id: targetId, displayName, isErased: false },
});

type Shown = { type: ObjectType; objectId?: string; events: readonly AuditEvent[]; past?: Partial<PastClient> };

/** `events`: newest first; `before` is the event before the end. */
function show({ type, objectId = id, events, past = {}, ...audit }: Shown & Partial<AuditClient>) {
  const before = sampleAuditEvent({ id: 'before', actionId: 'before', at: new Date(at.getTime() - 1) });
  const list: AuditClient['list'] = async (options = {}) => {
    if (options.targetId === undefined) return { items: [before], nextCursor: null };
    const types = options.type?.split(',');
    const ofTarget = events.filter(({ targets }) => targets.some((each) => each.id === options.targetId));
    return { items: ofTarget.filter((each) => types?.includes(each.type) ?? true), nextCursor: null };
  };
  const asked: string[] = [];
  renderPage(
    <ObjectPage
      audit={{ ...noAudit, list, ...audit }}
      projectId="p1"
      projectName="Shop"
      object={{ type, id: objectId }}
      at={(moment) => {
        asked.push(moment);
        return past as PastClient;
      }}
    />,
  );
  return asked;
}

test('a deleted permission shows what it was, and when and by whom it was deleted', async () => {
  const deleted = sampleAuditEvent({
    ...{ type: 'PermissionDefinitionDeleted', text: 'Deleted the permission publish', at },
    targets: [target('permission', 'publish')],
  });
  const change = (field: string, before: unknown) => ({ field, before, after: null, isRedacted: false });
  const none: StateDiff = { existedBefore: false, existsAfter: false, changes: [], events: [], hasMoreEvents: false };
  const changes = [change('id', 'publish'), change('contained_permission_ids', ['edit', 'read'])];
  const compare = async ({ targetType, from, to }: { targetType: string; from: string; to: string }) =>
    targetType === 'project_permission_definition' && from === 'before' && to === deleted.id
      ? { ...none, existedBefore: true, changes: changes as StateDiff['changes'] }
      : none;
  show({ type: 'permission', events: [deleted], compare });
  await screen.findByRole('heading', { level: 1, name: 'Permission publish' });
  const state = screen.getByText('This permission was deleted').parentElement;
  expect(state?.textContent).toContain('Maya (owner)');
  expect(await screen.findByText('edit, read')).toBeTruthy();
  expect(screen.getByText('Scope').nextElementSibling?.textContent).toBe('Project');
  expect(await screen.findByRole('heading', { name: 'History' })).toBeTruthy();
});

test('a revoked project key shows its name and its last characters', async () => {
  const revoked = sampleAuditEvent({ type: 'ProjectKeyRevoked', at, targets: [target('project_key', 'Website')] });
  const lastFour = { publishableClientKey: 'abcd', secretServerKey: null, superSecretAdminKey: null };
  const key = { id, description: 'Website', createdAt: at, expiresAt: at, manuallyRevokedAt: null, lastUsedAt: null };
  const keys = { list: async () => [{ ...key, lastFour }] } as unknown as PastClient['keys'];
  const asked = show({ type: 'project_key', events: [revoked], past: { keys } });
  expect(await screen.findByText('…abcd')).toBeTruthy();
  expect(screen.getByText('This project key was revoked')).toBeTruthy();
  expect(asked).toEqual(['before']);
});

test('an API key ended with its user', async () => {
  const created = sampleAuditEvent({
    ...{ type: 'ApiKeyCreated', at: new Date(0) },
    targets: [target('user', 'Ann', annId), target('api_key', 'CI')],
  });
  const gone = sampleAuditEvent({
    type: 'UserDeleted',
    at,
    text: 'Deleted the user',
    targets: [target('user', 'Ann', annId)],
  });
  const key = { id, description: 'CI', isPublic: false, createdAt: at, expiresAt: null, manuallyRevokedAt: null };
  const apiKeys = { list: async () => [{ ...key, lastFour: 'wxyz' }] } as unknown as PastClient['apiKeys'];
  show({ type: 'api_key', events: [gone, created], past: { apiKeys } });
  expect(await screen.findByText('…wxyz')).toBeTruthy();
  expect(screen.getByText(/Deleted the user/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Ann' }).getAttribute('href')).toBe(
    `/projects/p1/users/${annId}?as_of=before`,
  );
});

test('a template that was reset leads to the template as it last was', async () => {
  const versionId = 'magic_link.de-DE';
  const reset = sampleAuditEvent({
    type: 'EmailTemplateReset',
    at,
    targets: [target('email_template', null, versionId)],
  });
  const emails = { getTemplateVersion: async () => ({ subject: 'Anmelden' }) } as unknown as PastClient['emails'];
  show({ type: 'email_template', objectId: versionId, events: [reset], past: { emails } });
  expect(await screen.findByText('Anmelden')).toBeTruthy();
  const link = screen.getByRole('link', { name: 'View the template as it last was' });
  expect(link.getAttribute('href')).toBe('/projects/p1/emails/magic_link?language=de-DE&as_of=before');
});

test('an object that was restored leads to where it is managed', async () => {
  const restored = sampleAuditEvent({
    ...{ type: 'PermissionDefinitionCreated', at },
    targets: [target('permission', 'publish')],
  });
  show({ type: 'permission', events: [restored] });
  expect(await screen.findByText('This permission exists')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'View permissions' }).getAttribute('href')).toBe('/projects/p1/permissions');
});

import type { AuditClient, UsersClient } from '@gatebook/js/admin';
import type { SessionsClient, UserSession } from '@gatebook/js/core';
import { fireEvent, screen } from '@testing-library/react';
import { noAudit, noExplanations, noPermissions, noUsers } from '../../../testing/clients.ts';
import { never, renderPage } from '../../../testing/render.tsx';
import { annId, sampleAuditEvent, sampleProject, sampleUser } from '../../../testing/samples.ts';
import { UserPage } from '../user-page.tsx';

export const sampleSession: UserSession = {
  id: 's1',
  userId: annId,
  createdAt: new Date('2026-03-01T10:00:00Z'),
  lastUsedAt: null,
  isImpersonation: false,
  isCurrentSession: false,
  device: { browser: 'Chrome', system: 'macOS' },
  place: { ip: '203.0.113.9', city: 'Malmö', country: 'SE' },
};
const listOne = async () => ({ items: [sampleSession], nextCursor: null });
export const signUp = sampleAuditEvent({ text: 'Signed up with a password' });

type Fakes = {
  users?: Partial<UsersClient>;
  sessions?: {
    listPage?: SessionsClient['listPage'];
    revoke?: (id: string, userId: string) => Promise<void>;
    revokeAll?: (userId: string) => Promise<number>;
  };
  listEvents?: AuditClient['list'];
  findEvent?: AuditClient['find'];
};

/** Renders the page of Ann Achebe. */
export function showUserPage({ users = {}, sessions = {}, listEvents, findEvent }: Fakes = {}) {
  const list = listEvents ?? (async () => ({ items: [signUp], nextCursor: null }));
  return renderPage(
    <UserPage
      users={{ ...noUsers, find: async () => sampleUser(), ...users }}
      sessions={{ list: never, listPage: listOne, revoke: never, revokeAll: never, ...sessions }}
      audit={{ ...noAudit, list, ...(findEvent && { find: findEvent }) }}
      channels={{
        list: async () => [],
        create: never,
        update: never,
        delete: never,
        sendVerification: never,
      }}
      teams={{ listOf: async () => ({ items: [], nextCursor: null }) }}
      permissions={{ ...noPermissions, list: async () => [], listGrants: async () => [] }}
      explanations={noExplanations}
      apiKeys={{ list: async () => [], listUses: async () => new Map(), create: never, rotate: never, revoke: never }}
      project={sampleProject({
        config: { ...sampleProject().config, domains: [{ domain: 'https://shop.example', handlerPath: '/handler' }] },
      })}
      projectId="p1"
      userId={annId}
    />,
  );
}

export async function openMenuItem(name: string): Promise<void> {
  fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
  fireEvent.click(await screen.findByRole('menuitem', { name }));
}

import type { UserPage as PageOfUsers, UserExport, UsersClient } from '@gatebook/js/admin';
import { fireEvent, screen } from '@testing-library/react';
import { vi } from 'vitest';
import { noUsers } from '../../../testing/clients.ts';
import { renderPage } from '../../../testing/render.tsx';
import { sampleProject, sampleTeam, sampleUser } from '../../../testing/samples.ts';
import { UsersPage } from '../users-page.tsx';
import type { UsersSearch } from '../users-search.ts';

/** The search of the first page. */
export const firstSearch: UsersSearch = { query: '', order: 'newest', cursor: null };
/** A page with Ann Achebe. */
export const pageOfAnn = (nextCursor: string | null): PageOfUsers => ({ items: [sampleUser()], nextCursor });

export const recordUserExport = vi.fn(async (_: UserExport) => {});

export function usersPage(users: Partial<UsersClient>, search: UsersSearch) {
  return (
    <UsersPage
      users={{ ...noUsers, count: async () => ({ count: 7, isComplete: true }), ...users }}
      teams={{ list: async () => [sampleTeam()], find: async () => sampleTeam() }}
      permissions={{ list: async () => [{ id: 'edit', description: '', containedPermissionIds: [] }] }}
      openIdProviders={{ list: async () => [] }}
      audit={{ recordUserExport }}
      projectId="p1"
      project={sampleProject()}
      search={search}
      opensForm={false}
    />
  );
}

export const showUsers = (users: Partial<UsersClient>, search = firstSearch) => renderPage(usersPage(users, search));

export const findLink = (name: string) => screen.findByRole('link', { name });
export const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));

import type { ProjectOverview } from '@gatebook/js/admin';
import type { OwnerClient } from '@gatebook/js/owner-client';
import { type Resource, useResource } from '@gatebook/react';

/** One of the owner's projects; null if the owner has no role in it. */
export function useOwnedProject(
  { projects }: Pick<OwnerClient, 'projects'>,
  id: string | null,
): Resource<ProjectOverview | null> {
  return useResource(['projects', 'one', id], async () =>
    id === null ? null : ((await projects.search({ id, limit: 1 })).items[0] ?? null),
  );
}

/** Owners of `internal` operate the server. */
export function useOperates(client: Pick<OwnerClient, 'projects'>): Resource<boolean> {
  const { value, ...state } = useOwnedProject(client, 'internal');
  return { ...state, value: value === undefined ? undefined : value?.role === 'owner' };
}

import type { ProjectOverview } from '@gatebook/js/admin';
import type { OwnerClient } from '@gatebook/js/owner-client';
import { type Resource, type ResourceKey, useResource } from '@gatebook/react';

/** The key and the fetch of a resource. */
type Read<Value> = readonly [key: ResourceKey, load: () => Promise<Value>];
type Projects = Pick<OwnerClient, 'projects'>;

/** Reads one of the owner's projects; null if the owner has no role in it. */
export const ownedProject = ({ projects }: Projects, id: string | null): Read<ProjectOverview | null> => [
  ['projects', 'one', id],
  async () => (id === null ? null : ((await projects.search({ id, limit: 1 })).items[0] ?? null)),
];

export const useOwnedProject = (client: Projects, id: string | null): Resource<ProjectOverview | null> =>
  useResource(...ownedProject(client, id));

/** Owners of `internal` operate the server. */
export function useOperates(client: Projects): Resource<boolean> {
  const { value, ...state } = useOwnedProject(client, 'internal');
  return { ...state, value: value === undefined ? undefined : value?.role === 'owner' };
}

import type { Project } from '@gatebook/js/admin';

/** Owners of `internal` operate the server. */
export const operatesServer = (projects: readonly Pick<Project, 'id' | 'role'>[]): boolean =>
  projects.some(({ id, role }) => id === 'internal' && role === 'owner');

import type { Deps } from '../../deps.ts';
import type { ProjectAccess } from '../../project-access-cache.ts';

/** `client_id` is a project ID, with or without `#main`; null for anything else (protocol, auth §8.1). */
export async function projectOfClient(
  { projects }: Pick<Deps, 'projects'>,
  clientId: string,
): Promise<{ projectId: string; access: ProjectAccess } | null> {
  const [projectId = '', branch = 'main', ...rest] = clientId.split('#');
  if (projectId === '' || branch !== 'main' || rest.length > 0) return null;
  const access = await projects.find(projectId);
  return access && { projectId, access };
}

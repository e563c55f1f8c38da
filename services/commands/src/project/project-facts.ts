import type { Definitions } from '@gatebook/domain/permission/effective';
import type { ProjectConfig, ProjectSettings } from '@gatebook/domain/project/config';

/** What commands have to know of the caller's project. */
export type ProjectFacts = {
  displayName: string;
  config: ProjectConfig;
  permissions: Definitions;
  /** Left out where no quota is to count. */
  settings?: Partial<Pick<ProjectSettings, 'quotas' | 'breachedPasswordsRejected'>>;
};

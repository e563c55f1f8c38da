import type { Definitions } from '@gatebook/domain/permission/effective';
import type { ProjectConfig, ProjectSettings } from '@gatebook/domain/project/config';

/** What commands need to know about the project of the caller. */
export type ProjectFacts = {
  displayName: string;
  config: ProjectConfig;
  permissions: Definitions;
  /** Missing where none of them applies. */
  settings?: Partial<
    Pick<ProjectSettings, 'quotas' | 'breachedPasswordsRejected' | 'minPasswordLength' | 'emailVerificationRequired'>
  >;
};

import type { ProjectRole } from '@gatebook/domain/project/roles';

export const roleNames: Readonly<Record<ProjectRole, string>> = {
  read_only: 'Nur lesend',
  support: 'Support',
  developer: 'Entwickler',
  owner: 'Eigentümer',
};

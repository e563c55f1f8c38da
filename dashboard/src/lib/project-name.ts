import type { Project } from '@gatebook/js/admin';

/** The name that a project is shown with: its ID if it has none. */
export const projectName = ({ id, displayName }: Pick<Project, 'id' | 'displayName'>): string =>
  displayName.trim() || id;

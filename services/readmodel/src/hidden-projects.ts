const prefix = 'deleted:';

/**
 * The project of rows whose user or team awaits deletion. No request can name it, because it is not the ID of a project
 * (docs/decisions/0050).
 */
export const hiddenProjectId = (projectId: string) => `${prefix}${projectId}`;

/** The project that a row belongs to, hidden or not. */
export const actualProjectId = (projectId: string) =>
  projectId.startsWith(prefix) ? projectId.slice(prefix.length) : projectId;

/** SQL condition for rows that are not hidden. */
export const isNotHidden = (column: string) => `not starts_with(${column}, '${prefix}')`;

/** SQL for the hidden project of a project. */
export const hiddenProject = (projectId: string) => `'${prefix}' || ${projectId}`;

/** SQL for the project that a row belongs to, hidden or not. */
export const actualProject = (column: string) => `regexp_replace(${column}, '^${prefix}', '')`;

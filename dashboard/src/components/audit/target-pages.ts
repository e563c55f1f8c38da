import type { AuditTarget } from '@gatebook/js/admin';

/** What has no page while it exists, or another one. */
export const objectTypes = ['project_key', 'api_key', 'permission', 'email_template'] as const;
export type ObjectType = (typeof objectTypes)[number];

export const isObjectType = (type: string): type is ObjectType => (objectTypes as readonly string[]).includes(type);

/** The page of what an event is about; null: it has none. */
export function hrefOfTarget(projectId: string, { type, id }: Pick<AuditTarget, 'type' | 'id'>): string | null {
  if (type === 'user' || type === 'team') return `/projects/${projectId}/${type}s/${id}`;
  return isObjectType(type) ? `/projects/${projectId}/objects/${type}/${encodeURIComponent(id)}` : null;
}

/** The page of a version of a template, by its ID: `magic_link` or `magic_link.de-DE`. */
export function templateHrefOf(projectId: string, versionId: string): string {
  const [type = '', language] = versionId.split('.');
  return `/projects/${projectId}/emails/${type}${language === undefined ? '' : `?language=${language}`}`;
}

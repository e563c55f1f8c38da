import type { Project } from '@gatebook/js/admin';

/** The URL of a sign-in page of the project's app, at its first domain; null if the project has no exact one. */
export function appPageUrl(
  project: Project | undefined,
  page: 'email-verification' | 'impersonation' | 'password-reset',
): string | null {
  const found = project?.config.domains.find(({ domain }) => !domain.includes('*'));
  return found ? `${found.domain.replace(/\/$/, '')}${found.handlerPath.replace(/\/$/, '')}/${page}` : null;
}

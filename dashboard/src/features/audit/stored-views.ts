/** `query`: the search part of the page's URL, with `?`; empty: all events. */
export type SavedView = { name: string; query: string };

const keyOf = (projectId: string): string => `gatebook-audit-views-${projectId}`;

/** Empty if the browser stores nothing, or something else. */
export function readSavedViews(projectId: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(projectId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isSavedView) : [];
  } catch {
    return [];
  }
}

/** @throws DOMException if the browser's storage is full or switched off */
export function writeSavedViews(projectId: string, views: readonly SavedView[]): void {
  localStorage.setItem(keyOf(projectId), JSON.stringify(views));
}

const isSavedView = (value: unknown): value is SavedView =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'query' in value &&
  typeof value.name === 'string' &&
  typeof value.query === 'string';

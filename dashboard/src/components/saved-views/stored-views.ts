/** `query`: the search part of the page's URL, with `?`; empty: the whole list. */
export type SavedView = { name: string; query: string };

/** The lists with views. */
export type ViewedList = 'audit' | 'users';

const keyOf = (list: ViewedList, projectId: string): string => `gatebook-${list}-views-${projectId}`;

/** Empty if the browser stores nothing, or something else. */
export function readSavedViews(list: ViewedList, projectId: string): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(list, projectId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isSavedView) : [];
  } catch {
    return [];
  }
}

/** @throws DOMException if the browser's storage is full or switched off */
export function writeSavedViews(list: ViewedList, projectId: string, views: readonly SavedView[]): void {
  localStorage.setItem(keyOf(list, projectId), JSON.stringify(views));
}

const isSavedView = (value: unknown): value is SavedView =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'query' in value &&
  typeof value.name === 'string' &&
  typeof value.query === 'string';

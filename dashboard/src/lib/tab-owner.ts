const KEY = 'gatebook-tab-owner';

/** Forgets what the tab remembers of another owner, such as the names of users who were looked at. */
export function keepTabOf(ownerId: string): void {
  try {
    const last = sessionStorage.getItem(KEY);
    if (last !== null && last !== ownerId) sessionStorage.clear();
    sessionStorage.setItem(KEY, ownerId);
  } catch {}
}

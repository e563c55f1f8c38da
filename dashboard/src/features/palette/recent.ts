export type Recent = { href: string; label: string };

const KEY = 'gatebook-recent';
const KEPT = 6;

/** Pages that were looked at in this tab, latest first. Their names are personal data, so they end with the tab. */
export function readRecent(): readonly Recent[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecent) : [];
  } catch {
    return [];
  }
}

/** Does nothing if the browser's storage is full or switched off. */
export function addRecent(recent: Recent): void {
  try {
    const others = readRecent().filter(({ href }) => href !== recent.href);
    sessionStorage.setItem(KEY, JSON.stringify([recent, ...others].slice(0, KEPT)));
  } catch {}
}

const isRecent = (value: unknown): value is Recent =>
  typeof value === 'object' &&
  value !== null &&
  'href' in value &&
  'label' in value &&
  typeof value.href === 'string' &&
  typeof value.label === 'string';

import { t } from '@lingui/core/macro';
export const columnNames = {
  email: t`Email`,
  methods: t`Sign-in methods`,
  verified: t`Email verified`,
  country: t`Country`,
  id: 'User ID',
  active: t`Last active`,
  signedUp: t`Signed up`,
} as const;
export type ColumnName = keyof typeof columnNames;
const isColumnName = (name: unknown): name is ColumnName =>
  typeof name === 'string' && Object.hasOwn(columnNames, name);
export const allColumns = Object.keys(columnNames).filter(isColumnName);

/** How this browser shows the list. */
export type TableSettings = { columns: readonly ColumnName[]; isCompact: boolean };
const usualSettings: TableSettings = { columns: ['email', 'methods', 'active', 'signedUp'], isCompact: false };

const KEY = 'gatebook-users-table';

/** The usual settings if the browser stores nothing, or something else. */
export function readTableSettings(): TableSettings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (typeof stored !== 'object' || stored === null || !('columns' in stored) || !Array.isArray(stored.columns)) {
      return usualSettings;
    }
    const { columns } = stored;
    return {
      columns: allColumns.filter((name) => columns.includes(name)),
      isCompact: 'isCompact' in stored && stored.isCompact === true,
    };
  } catch {
    return usualSettings;
  }
}

/** Does nothing if the browser's storage is full or switched off. */
export function writeTableSettings(settings: TableSettings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {}
}

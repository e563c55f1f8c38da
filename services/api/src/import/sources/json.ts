import { toOwnUser } from '../own-user.ts';
import type { Source } from '../source.ts';

/** An object with the names of the API (snake_case), or of the dashboard's export as JSON lines (camelCase). */
export const readJson: Source = (row) =>
  toOwnUser(Object.fromEntries(Object.entries(row).map(([key, value]) => [toSnakeCase(key), value])));

const toSnakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

import type { Surface } from './surface.ts';

/** What the newer surface adds and removes, as text. */
export function reportDifference(older: Surface, newer: Surface): string {
  const parts = (['paths', 'fields', 'exports'] as const).flatMap((part) => [
    section(`New ${part}`, without(newer[part], older[part])),
    section(`Removed ${part}`, without(older[part], newer[part])),
  ]);
  return parts.join('\n');
}

/** The names of one set that another set lacks, sorted. */
export const without = (names: ReadonlySet<string>, others: ReadonlySet<string>): string[] =>
  [...names].filter((name) => !others.has(name)).sort();

const section = (title: string, names: readonly string[]): string =>
  [`${title}: ${names.length}`, ...names.map((name) => `  ${name}`), ''].join('\n');

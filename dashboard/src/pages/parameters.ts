import { useParams, useSearch } from '@tanstack/react-router';

/** A part of the page's address. @throws Error on a page whose address has no such part */
export function useParam(name: 'projectId' | 'userId' | 'teamId'): string {
  const value = (useParams({ strict: false }) as Readonly<Record<string, string | undefined>>)[name];
  if (value === undefined) throw new Error(`the address has no ${name}`);
  return value;
}

export function useSearchText(): Readonly<Record<string, string>> {
  return useSearch({ strict: false });
}

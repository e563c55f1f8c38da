import { useParams, useSearch } from '@tanstack/react-router';

type Name =
  | 'projectId'
  | 'userId'
  | 'teamId'
  | 'requestId'
  | 'endpointId'
  | 'deliveryId'
  | 'emailType'
  | 'objectType'
  | 'objectId';

/** A path parameter of the current route. @throws Error when the route has no such parameter */
export function useParam(name: Name): string {
  const value = (useParams({ strict: false }) as Readonly<Record<string, string | undefined>>)[name];
  if (value === undefined) throw new Error(`route has no parameter ${name}`);
  return value;
}

export function useSearchText(): Readonly<Record<string, string>> {
  return useSearch({ strict: false });
}

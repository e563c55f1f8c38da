import { useLocation, useParams } from '../router/router-view.tsx';

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
  const value = useParams()[name];
  if (value === undefined) throw new Error(`route has no parameter ${name}`);
  return value;
}

export const useSearchText = (): Readonly<Record<string, string>> => useLocation().search;

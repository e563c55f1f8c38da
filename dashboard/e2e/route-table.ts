import { listRoutes } from '../src/routes.tsx';

/** The routes of all pages, as in `/projects/$projectId/users/$userId`; those that only redirect are not pages. */
export const pageRoutes: readonly string[] = listRoutes({ client: {} as never })
  .filter(({ page }) => page !== null)
  .map(({ path }) => path);

/** Values of the parameters of all routes. */
export type RouteParams = Readonly<Record<string, string>>;

/** The path of a page. @throws Error for a parameter that has no value, so a new route needs one */
export function pathOf(route: string, params: RouteParams): string {
  return route.replace(/\$(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${route} needs a value of ${name}`);
    return value;
  });
}

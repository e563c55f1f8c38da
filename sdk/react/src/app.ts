import { GatebookClientApp as AppOfCore, type GatebookClientAppOptions } from '@gatebook/js';
import type { GatebookClientApp as AppWithHooks, CurrentUser, Hooks, UseUser, UseUserOptions } from './app-types.ts';
import { useAppResource } from './use-app-resource.ts';
import { type AppInternals, useUserOf } from './use-user-of.ts';

/** Any app of `@gatebook/js` with a hook for each read. `redirectMethod` is `window` by default. */
export function createAppWithHooks<App extends AppInternals, Options extends GatebookClientAppOptions>(
  create: (options: Options) => App,
  options: Options,
): App & Hooks<App> & { useUser: UseUser } {
  const app = create({
    ...(!options.inheritsFrom && { redirectMethod: 'window' }),
    ...options,
    useResource: useAppResource,
  });
  const useUser = (given?: UseUserOptions): CurrentUser | null => useUserOf(app, given);
  return Object.assign(app, { useUser }) as App & Hooks<App> & { useUser: UseUser };
}

export type GatebookClientApp<ProjectId extends string = string> = AppWithHooks<ProjectId>;

/** The app of `@gatebook/js` with hooks. */
export const GatebookClientApp = function construct(options: GatebookClientAppOptions) {
  return createAppWithHooks((given) => new AppOfCore(given), options);
} as unknown as new <ProjectId extends string = string>(
  options: GatebookClientAppOptions & { projectId?: ProjectId },
) => AppWithHooks<ProjectId>;

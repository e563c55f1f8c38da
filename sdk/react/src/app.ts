import { GatebookClientApp as AppOfCore, type GatebookClientAppOptions } from '@gatebook/js';
import type { GatebookClientApp as AppWithHooks, CurrentUser, UseUserOptions } from './app-types.ts';
import { useAppResource } from './use-app-resource.ts';
import { useUserOf } from './use-user-of.ts';

export type GatebookClientApp<ProjectId extends string = string> = AppWithHooks<ProjectId>;

/** The app of `@gatebook/js` with a hook for each read. `redirectMethod` is `window` by default. */
export const GatebookClientApp = function construct(options: GatebookClientAppOptions) {
  const app = new AppOfCore({
    ...(!options.inheritsFrom && { redirectMethod: 'window' }),
    ...options,
    useResource: useAppResource,
  });
  const useUser = (given?: UseUserOptions): CurrentUser | null => useUserOf(app, given);
  return Object.assign(app, { useUser });
} as unknown as new <ProjectId extends string = string>(
  options: GatebookClientAppOptions & { projectId?: ProjectId },
) => AppWithHooks<ProjectId>;

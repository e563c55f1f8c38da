import type { GetUserOptions } from '@gatebook/js';
import { type CurrentInternalUser, GatebookOwnerApp } from '@gatebook/js/admin';
import { type CurrentUser, createAppWithHooks, GatebookClientApp } from '@gatebook/react';
import { type StackClientAppConstructorOptions, withPublishedDefaults } from './apps.ts';

type InternalUser = CurrentUser & CurrentInternalUser;
type InternalApp<ProjectId extends string> = Omit<GatebookClientApp<ProjectId>, 'getUser'> & {
  getUser(options: GetUserOptions & { or: 'redirect' | 'throw' | 'anonymous' }): Promise<InternalUser>;
  getUser(options?: GetUserOptions): Promise<InternalUser | null>;
};

/** `HasTokenStore` is for the signatures of the published apps. */
export type StackClientApp<
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
> = HasTokenStore extends boolean
  ? ProjectId extends 'internal'
    ? InternalApp<ProjectId>
    : GatebookClientApp<ProjectId>
  : never;
export type StackClientAppConstructor = new <
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
>(
  options: StackClientAppConstructorOptions<HasTokenStore, ProjectId>,
) => StackClientApp<HasTokenStore, ProjectId>;

/** With hooks. */
export const StackClientApp = function construct(given: StackClientAppConstructorOptions) {
  const options = withPublishedDefaults(given);
  if (options.projectId !== 'internal') return new GatebookClientApp(options);
  return createAppWithHooks((owner) => new GatebookOwnerApp(owner), options);
} as unknown as StackClientAppConstructor;

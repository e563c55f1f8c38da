import { type ClientAppJson, GatebookClientApp, type GatebookClientAppOptions, gatebookInternals } from '@gatebook/js';
import { GatebookAdminApp, type GatebookAdminAppOptions, GatebookOwnerApp } from '@gatebook/js/admin';
import { GatebookServerApp, type GatebookServerAppOptions } from '@gatebook/js/server';

/** `HasTokenStore` is for the signatures of the published apps. */
export type StackClientApp<
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
> = HasTokenStore extends boolean
  ? ProjectId extends 'internal'
    ? GatebookOwnerApp
    : GatebookClientApp<ProjectId>
  : never;
export type StackServerApp<
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
> = HasTokenStore extends boolean ? GatebookServerApp<ProjectId> : never;
export type StackAdminApp<
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
> = HasTokenStore extends boolean ? GatebookAdminApp<ProjectId> : never;

type WithProject<Options, ProjectId> = Options & { projectId?: ProjectId };
export type StackClientAppConstructorOptions<
  _HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
> = WithProject<GatebookClientAppOptions, ProjectId>;
export type StackServerAppConstructorOptions<
  _HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
> = WithProject<GatebookServerAppOptions, ProjectId>;
export type StackAdminAppConstructorOptions<
  _HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
> = WithProject<GatebookAdminAppOptions, ProjectId>;
export type StackClientAppJson = ClientAppJson;

export type StackClientAppConstructor = new <
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
>(
  options: StackClientAppConstructorOptions<HasTokenStore, ProjectId>,
) => StackClientApp<HasTokenStore, ProjectId>;
export type StackServerAppConstructor = new <
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
>(
  options: StackServerAppConstructorOptions<HasTokenStore, ProjectId>,
) => StackServerApp<HasTokenStore, ProjectId>;
export type StackAdminAppConstructor = new <HasTokenStore extends boolean = boolean, ProjectId extends string = string>(
  options: StackAdminAppConstructorOptions<HasTokenStore, ProjectId>,
) => StackAdminApp<HasTokenStore, ProjectId>;

/** As in the newest published app, redirects are on in browsers unless `redirectMethod` is given. */
export const withPublishedDefaults = (options: GatebookClientAppOptions): GatebookClientAppOptions => ({
  ...(!options.inheritsFrom && { redirectMethod: typeof window === 'undefined' ? 'none' : 'window' }),
  ...options,
});

export const StackClientApp = function construct(given: GatebookClientAppOptions) {
  const options = withPublishedDefaults(given);
  return options.projectId === 'internal' ? new GatebookOwnerApp(options) : new GatebookClientApp(options);
} as unknown as StackClientAppConstructor;
export const StackServerApp = GatebookServerApp as unknown as StackServerAppConstructor;
export const StackAdminApp = GatebookAdminApp as unknown as StackAdminAppConstructor;

/** The property with the internals, which are Gatebook's own. */
export const stackAppInternalsSymbol: typeof gatebookInternals = gatebookInternals;

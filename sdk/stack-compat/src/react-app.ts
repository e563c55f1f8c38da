import { GatebookClientApp } from '@gatebook/react';
import type { StackClientAppConstructorOptions } from './apps.ts';

/** `HasTokenStore` is for the signatures of the published apps. */
export type StackClientApp<
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
> = HasTokenStore extends boolean ? GatebookClientApp<ProjectId> : never;
export type StackClientAppConstructor = new <
  HasTokenStore extends boolean = boolean,
  ProjectId extends string = string,
>(
  options: StackClientAppConstructorOptions<HasTokenStore, ProjectId>,
) => StackClientApp<HasTokenStore, ProjectId>;

/** With hooks. As in the published app, redirects are off unless `redirectMethod` is given. */
export const StackClientApp = function construct(options: StackClientAppConstructorOptions) {
  return new GatebookClientApp({ ...(!options.inheritsFrom && { redirectMethod: 'none' }), ...options });
} as unknown as StackClientAppConstructor;

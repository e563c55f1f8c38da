import { GatebookClientApp, type GatebookClientAppOptions } from '@gatebook/js';
import { GatebookAdminApp, GatebookOwnerApp } from '@gatebook/js/admin';
import { GatebookServerApp } from '@gatebook/js/server';

/** Gatebook's apps under the names of the published client. */
export const StackClientApp = function construct(options: GatebookClientAppOptions) {
  return options.projectId === 'internal' ? new GatebookOwnerApp(options) : new GatebookClientApp(options);
};
export const StackServerApp = GatebookServerApp;
export const StackAdminApp = GatebookAdminApp;

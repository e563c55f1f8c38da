import { GatebookAdminApp } from '@gatebook/js/admin';
import { GatebookClientApp } from '@gatebook/js/index';
import { GatebookServerApp } from '@gatebook/js/server';

/** Gatebook's apps under the names of the published client. */
export const StackClientApp = GatebookClientApp;
export const StackServerApp = GatebookServerApp;
export const StackAdminApp = GatebookAdminApp;

import { GatebookClientApp } from '@gatebook/js';
import { GatebookAdminApp } from '@gatebook/js/admin';
import { GatebookServerApp } from '@gatebook/js/server';

/** Gatebook's apps under the names of the published client. */
export const StackClientApp = GatebookClientApp;
export const StackServerApp = GatebookServerApp;
export const StackAdminApp = GatebookAdminApp;

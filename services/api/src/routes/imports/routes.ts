import type { Route } from '../../http/define-route.ts';
import { importUsersRoute } from './import-users.ts';

export const importRoutes: readonly Route[] = [importUsersRoute];

import type { Route } from '../../http/define-route.ts';
import { createUserRoute } from './create-user.ts';
import { eraseUserRoute, listDeletedUsersRoute, restoreUserRoute } from './deleted-users.ts';
import { listUsersRoute } from './list-users.ts';
import { mergeUsersRoute } from './merge-users.ts';
import { deleteUserRoute, getUserRoute, updateUserRoute } from './one-user.ts';
import { deleteOwnUserRoute, getOwnUserRoute, updateOwnUserRoute } from './own-user.ts';
import { recordUserExportRoute } from './record-user-export.ts';
import { countUsersRoute, searchUsersRoute } from './search-users.ts';

export const userRoutes: readonly Route[] = [
  getOwnUserRoute,
  updateOwnUserRoute,
  deleteOwnUserRoute,
  listUsersRoute,
  searchUsersRoute,
  countUsersRoute,
  recordUserExportRoute,
  createUserRoute,
  getUserRoute,
  updateUserRoute,
  deleteUserRoute,
  listDeletedUsersRoute,
  restoreUserRoute,
  eraseUserRoute,
  mergeUsersRoute,
];

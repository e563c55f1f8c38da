import type { Route } from '../../http/define-route.ts';
import { createSessionRoute } from './create-session.ts';
import { deleteSessionRoute } from './delete-session.ts';
import { listSessionsRoute } from './list-sessions.ts';
import { refreshSessionRoute } from './refresh-session.ts';
import { signOutRoute } from './sign-out.ts';

export const sessionRoutes: readonly Route[] = [
  listSessionsRoute,
  createSessionRoute,
  deleteSessionRoute,
  signOutRoute,
  refreshSessionRoute,
];

import { type Access, adminOnly, clientAndUp, serverAndUp } from '../access.ts';

/** Who may call what: the one place. A route that is not listed here does not start, and a test walks the whole list. */
export const routeAccess: Readonly<Record<string, Access>> = {
  'GET /api/v1': 'anyone',
  'GET /health': 'anyone',
  'GET /health/ready': 'anyone',
  'GET /dashboard/config.json': 'anyone',
  'GET /openapi.json': 'anyone',
  'POST /api/v1/check-version': 'anyone',
  'POST /api/v1/check-feature-support': 'anyone',
  'GET /api/v1/projects/:project_id/.well-known/jwks.json': 'anyone',

  'POST /api/v1/auth/password/sign-up': clientAndUp,
  'POST /api/v1/auth/password/sign-in': clientAndUp,
  'POST /api/v1/auth/password/set': clientAndUp,
  'POST /api/v1/auth/password/update': clientAndUp,
  'POST /api/v1/auth/oauth/token': 'anyone',

  'GET /api/v1/auth/sessions': clientAndUp,
  'POST /api/v1/auth/sessions': serverAndUp,
  'DELETE /api/v1/auth/sessions/:session_id': clientAndUp,
  'DELETE /api/v1/auth/sessions/current': clientAndUp,
  'POST /api/v1/auth/sessions/current/refresh': clientAndUp,

  'GET /api/v1/users/me': clientAndUp,
  'PATCH /api/v1/users/me': clientAndUp,
  'DELETE /api/v1/users/me': clientAndUp,
  'GET /api/v1/users': serverAndUp,
  'POST /api/v1/users': serverAndUp,
  'GET /api/v1/users/:user_id': serverAndUp,
  'PATCH /api/v1/users/:user_id': serverAndUp,
  'DELETE /api/v1/users/:user_id': serverAndUp,

  'GET /api/v1/projects/current': clientAndUp,
  // The first 2.8 libraries alone: everybody else gets 405.
  'PATCH /api/v1/projects/current': adminOnly,
  'DELETE /api/v1/projects/current': adminOnly,
  'GET /api/v1/internal/projects': clientAndUp,
  'POST /api/v1/internal/projects': clientAndUp,
  'GET /api/v1/internal/projects/current': adminOnly,
  'PATCH /api/v1/internal/projects/current': adminOnly,
  'DELETE /api/v1/internal/projects/current': adminOnly,
  'GET /api/v1/internal/projects/current/settings': adminOnly,
  'PATCH /api/v1/internal/projects/current/settings': adminOnly,

  'GET /api/v1/internal/api-keys': adminOnly,
  'POST /api/v1/internal/api-keys': adminOnly,
  'GET /api/v1/internal/api-keys/:key_id': adminOnly,
  'PATCH /api/v1/internal/api-keys/:key_id': adminOnly,

  'GET /api/v1/internal/metrics': adminOnly,
  'GET /api/v1/internal/users/:user_id/history': adminOnly,
  'GET /api/v1/internal/operations': adminOnly,
  'GET /api/v1/internal/setup': clientAndUp,
  'POST /api/v1/internal/setup': clientAndUp,
};

import { decideOnProject, findActiveProject } from '@gatebook/commands/project/project';
import { PasswordMigrationBody, PasswordMigrationView } from '@gatebook/contract/projects';
import { reject } from '@gatebook/domain/errors';
import type { ProjectState } from '@gatebook/domain/project/state';
import { webhookSecret } from '@gatebook/runtime/ids';
import { isAllowedTarget } from '@gatebook/runtime/outgoing/send-request';
import { adminOnly } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';
import { seesSecrets } from '../../roles.ts';

const path = '/internal/projects/current/password-migration';
const tags = ['Projects'];

const toView = (state: ProjectState | null): PasswordMigrationView =>
  state?.status === 'active' && state.passwordMigration ? state.passwordMigration : { url: null, secret: null };

export const getPasswordMigrationRoute = defineRoute({
  method: 'GET',
  path,
  access: adminOnly,
  tags,
  summary: 'Get where passwords of unknown users are checked',
  description: 'The URL of the former system, and for developers and owners the secret that signs the requests.',
  response: { 200: PasswordMigrationView },
  handle: async ({ deps, caller }) => {
    const view = toView(await findActiveProject(deps, caller.projectId));
    return seesSecrets(caller) ? view : { ...view, secret: null };
  },
});

export const putPasswordMigrationRoute = defineRoute({
  method: 'PUT',
  path,
  access: adminOnly,
  isPreviewable: true,
  errors: ['SCHEMA_ERROR'],
  tags,
  summary: 'Set where passwords of unknown users are checked',
  description: 'A URL gets a new secret; null ends the migration. See the guide on lazy migration.',
  body: PasswordMigrationBody,
  response: { 200: PasswordMigrationView },
  handle: async ({ deps, context, body }) => {
    const { url } = body;
    if (url !== null && !isAllowedTarget(url, deps.config.outgoing.allowPrivate)) {
      reject('SCHEMA_ERROR', { message: 'body.url must be an https URL of a public host' });
    }
    const migration = url === null ? null : { url, secret: webhookSecret() };
    const command = { type: 'ChangePasswordMigration', migration, at: deps.now() } as const;
    const { state, position } = await decideOnProject(deps, context, [command]);
    return { position, body: async () => toView(state), stale: () => toView(state) };
  },
});

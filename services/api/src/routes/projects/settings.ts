import { updateProject } from '@gatebook/commands/project/project';
import { ProjectSettingsPatch, ProjectSettingsView } from '@gatebook/contract/projects';
import type { ProjectSettings } from '@gatebook/domain/project/config';
import { findProject } from '@gatebook/readmodel/projects/queries';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { callerOf } from '../../access.ts';
import { contextOf } from '../../context.ts';
import type { Deps } from '../../deps.ts';
import { afterWrite } from '../../http/read-your-writes.ts';
import { changedQuotas, toQuotasView } from './quotas-wire.ts';

const tags = ['Projects'];
const toView = (settings: ProjectSettings): ProjectSettingsView => ({
  anonymous_sign_up_enabled: settings.anonymousSignUpEnabled,
  keyless_clients_allowed: settings.keylessClientsAllowed,
  quotas: toQuotasView(settings),
  security_notices_enabled: settings.securityNoticesEnabled,
  breached_passwords_rejected: settings.breachedPasswordsRejected,
  reauthentication_required: settings.reauthenticationRequired,
});

async function currentSettings({ db }: Deps, projectId: string): Promise<ProjectSettings> {
  return (await findProject(db, projectId)).settings;
}

export const getSettingsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.get('/internal/projects/current/settings', {
      schema: {
        tags,
        summary: 'Settings of Gatebook’s own',
        description: 'Those that are no part of the project’s configuration.',
        response: { 200: ProjectSettingsView },
      },
      handler: async (request) => toView(await currentSettings(deps, callerOf(request).projectId)),
    });
  };

export const updateSettingsRoute =
  (deps: Deps): FastifyPluginAsyncZod =>
  async (app) => {
    app.patch('/internal/projects/current/settings', {
      schema: {
        tags,
        summary: 'Change settings of Gatebook’s own',
        description: 'What is left out stays.',
        body: ProjectSettingsPatch,
        response: { 200: ProjectSettingsView },
      },
      handler: async (request, reply) => {
        const caller = callerOf(request);
        const { projectId } = caller;
        const before = await currentSettings(deps, projectId);
        const { anonymous_sign_up_enabled, keyless_clients_allowed, reauthentication_required } = request.body;
        const { security_notices_enabled, breached_passwords_rejected } = request.body;
        const settings = {
          anonymousSignUpEnabled: anonymous_sign_up_enabled ?? before.anonymousSignUpEnabled,
          keylessClientsAllowed: keyless_clients_allowed ?? before.keylessClientsAllowed,
          quotas: changedQuotas(before, request.body.quotas ?? {}),
          securityNoticesEnabled: security_notices_enabled ?? before.securityNoticesEnabled,
          breachedPasswordsRejected: breached_passwords_rejected ?? before.breachedPasswordsRejected,
          reauthenticationRequired: reauthentication_required ?? before.reauthenticationRequired,
        };
        const { position } = await updateProject(deps, contextOf(request, caller), { settings });
        await deps.projects.forget(projectId, position);
        return toView(
          await afterWrite(
            deps,
            reply,
            position,
            () => currentSettings(deps, projectId),
            () => settings,
          ),
        );
      },
    });
  };

import type { StateTargetType } from '@gatebook/contract/as-of';
import { parseVersionId, type TemplateVersion, versionIdOf } from '@gatebook/domain/email/template-versions';
import { DomainError } from '@gatebook/domain/errors';
import type { Recorded } from '@gatebook/domain/event';
import { type ApiKeyRow, findApiKey } from '@gatebook/readmodel/api-keys/queries';
import { findProject, findProjectKey } from '@gatebook/readmodel/projects/queries';
import { findTeam, listProfiles } from '@gatebook/readmodel/teams/queries';
import { listContactChannels } from '@gatebook/readmodel/users/channels';
import { findUser } from '@gatebook/readmodel/users/queries';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { tailOf, toKeyView } from '../api-keys/wire.ts';
import { toChannelView } from '../contact-channels/wire.ts';
import { findTemplateVersion } from '../emails/template-versions.ts';
import { findTemplate } from '../emails/templates.ts';
import { toDefinitionView } from '../permissions/definitions.ts';
import { toProjectKeyView } from '../project-keys/wire.ts';
import { toSettingsView } from '../projects/settings.ts';
import { toProjectView } from '../projects/wire.ts';
import { toProfileView } from '../teams/member-profiles.ts';
import { toServerTeamView } from '../teams/wire.ts';
import { toServerUserView } from '../users/wire.ts';

/** A reader at one moment: `deps.db` and `caller.project` are of then. */
export type Then = { deps: Deps; request: FastifyRequest; caller: Caller };

/** What one kind of object is read by, and the events that change it. */
export type Target = {
  /** The body with which the API reads the object; null if it does not exist. */
  read(then: Then, id: string): Promise<object | null>;
  /** `found`: its body at one of the moments. */
  stream(id: string, found: Readonly<Record<string, unknown>> | null): string | null;
  /** Whether an event of the stream is about the object. */
  concerns?(event: Recorded, id: string): boolean;
};

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isUuid = (id: string) => uuidForm.test(id);

/** Objects whose ID is a UUID. */
const byUuid = (target: Target): Target => ({
  ...target,
  read: async (then, id) => (isUuid(id) ? target.read(then, id) : null),
  stream: (id, found) => (isUuid(id) ? target.stream(id, found) : null),
});

async function readKey({ deps, caller }: Then, id: string): Promise<object | null> {
  const of = (type: 'user' | 'team'): Promise<ApiKeyRow | null> =>
    orNull(findApiKey(deps.db, caller.projectId, id, type));
  const row = (await of('user')) ?? (await of('team'));
  return row && toKeyView(row, tailOf(row));
}

const definitionOf = (scope: 'team' | 'project'): Target => ({
  read: async ({ caller: { project } }, id) => {
    const found = project.permissions.find((definition) => definition.scope === scope && definition.key === id);
    return found ? toDefinitionView(found, project.permissions) : null;
  },
  stream: () => 'project',
  concerns: ({ type, data }, id) => type.startsWith('PermissionDefinition') && data.key === id,
});

const eventsOfProject = ['ProjectCreated', 'ProjectDetailsChanged', 'ProjectConfigChanged', 'ProjectOwnerTeamChanged'];

export const targets: Readonly<Record<StateTargetType, Target>> = {
  user: byUuid({
    read: async ({ deps, request, caller }, id) => {
      const row = await orNull(findUser(deps.db, caller.projectId, id));
      return row && toServerUserView(request, row);
    },
    stream: (id) => `user-${id}`,
  }),
  team: byUuid({
    read: async ({ deps, caller }, id) => {
      const row = await orNull(findTeam(deps.db, caller.projectId, id));
      return row && toServerTeamView(row);
    },
    stream: (id) => `team-${id}`,
  }),
  membership: {
    read: async ({ deps, request, caller }, id) => {
      const [teamId = '', userId = ''] = id.split('.');
      if (!isUuid(teamId) || !isUuid(userId)) return null;
      const { rows } = await listProfiles(deps.db, caller.projectId, { teamId, userId });
      if (!rows[0]) return null;
      const { user: _, ...profile } = { user: null, ...toProfileView(request, caller, rows[0]) };
      return profile;
    },
    stream: (id) => `membership-${id}`,
  },
  contact_channel: byUuid({
    read: async ({ deps, caller }, channelId) => {
      const { rows } = await listContactChannels(deps.db, caller.projectId, { userId: null, channelId });
      return rows[0] ? toChannelView(rows[0]) : null;
    },
    stream: (_, found) => (found ? `user-${found.user_id}` : null),
    concerns: ({ data }, id) => data.channelId === id,
  }),
  api_key: byUuid({ read: readKey, stream: (id) => `apikey-${id}` }),
  project_key: byUuid({
    read: async ({ deps, caller }, id) => {
      const row = await orNull(findProjectKey(deps.db, caller.projectId, id));
      return row && toProjectKeyView(row);
    },
    stream: (id) => `projectkey-${id}`,
  }),
  email_template: {
    read: async ({ deps, caller }, id) => {
      const version = parseVersionId(id);
      if (version === null) return null;
      const { templateType: type, language } = version;
      if (language === null) return findTemplate(deps, caller.projectId, type);
      const found = await findTemplateVersion(deps, caller.projectId, { type, language });
      return found.source === 'version' ? found : null;
    },
    stream: () => 'project',
    concerns: ({ type, data }, id) => type.startsWith('EmailTemplate') && versionIdOf(data as TemplateVersion) === id,
  },
  team_permission_definition: definitionOf('team'),
  project_permission_definition: definitionOf('project'),
  project: {
    read: async ({ deps, request, caller }) => toProjectView(request, await findProject(deps.db, caller.projectId)),
    stream: () => 'project',
    concerns: ({ type }) => eventsOfProject.includes(type),
  },
  settings: {
    read: async ({ caller: { project } }) => toSettingsView(project.settings),
    stream: () => 'project',
    concerns: ({ type }) => type === 'ProjectCreated' || type === 'ProjectSettingsChanged',
  },
};

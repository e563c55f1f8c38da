import { changeConfigDocument, unlinkConfigSource } from '@gatebook/commands/project/config-document';
import { Success } from '@gatebook/contract/common';
import {
  ConfigChange,
  ConfigKeys,
  ConfigLevelPath,
  ConfigReplacement,
  ConfigSourceAnswer,
  ConfigView,
} from '@gatebook/contract/project-config';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import { readConfig } from '@gatebook/domain/project/config-document/document';
import { findStoredConfig } from '@gatebook/readmodel/projects/config-queries';
import { findProject } from '@gatebook/readmodel/projects/queries';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { answerSuccess, type Call, defineRoute } from '../../http/define-route.ts';
import { fromSource, parseLayer, toSource } from './config-wire.ts';
import { projectFieldErrors } from './errors.ts';

const tags = ['Projects'];
const errors: readonly DomainErrorCode[] = [
  ...projectFieldErrors,
  'PERMISSION_ID_ALREADY_EXISTS',
  'CONTAINED_PERMISSION_NOT_FOUND',
  'PERMISSION_CYCLE',
];

async function currentConfig({ db }: Deps, projectId: string) {
  const [project, stored] = await Promise.all([findProject(db, projectId), findStoredConfig(db, projectId)]);
  return readConfig(project, stored.layers);
}

export const getConfigRoute = defineRoute({
  method: 'GET',
  path: '/internal/config',
  access: adminOnly,
  role: 'developer',
  tags,
  summary: 'Get the configuration as a document',
  description: 'The settings in force, with secrets, whatever they were set by.',
  response: { 200: ConfigView },
  handle: async ({ deps, caller }) => {
    const { document } = await currentConfig(deps, caller.projectId);
    return { config_string: JSON.stringify(document) };
  },
});

export const getConfigOverrideRoute = defineRoute({
  method: 'GET',
  path: '/internal/config/override/:level',
  access: adminOnly,
  role: 'developer',
  tags,
  summary: 'Get one level of the configuration',
  description: 'Settings that were changed without the document belong to the level `environment`.',
  params: ConfigLevelPath,
  response: { 200: ConfigView },
  handle: async ({ deps, caller, params }) => {
    const { layers } = await currentConfig(deps, caller.projectId);
    return { config_string: JSON.stringify(layers[params.level]) };
  },
});

type Change = Parameters<typeof changeConfigDocument>[2];

async function answerChange(
  { deps, caller, context }: Pick<Call<typeof adminOnly, unknown, unknown, unknown>, 'deps' | 'caller' | 'context'>,
  change: Change,
) {
  const { position } = await changeConfigDocument(deps, context, change);
  await deps.projects.forget(caller.projectId, position);
  return answerSuccess(position);
}

export const replaceConfigOverrideRoute = defineRoute({
  method: 'PUT',
  path: '/internal/config/override/:level',
  bodySize: 'medium',
  access: adminOnly,
  isPreviewable: true,
  errors,
  tags,
  summary: 'Set one level of the configuration',
  description: 'Replaces the level and changes the settings. `source` says where the level `branch` was pushed from.',
  params: ConfigLevelPath,
  body: ConfigReplacement,
  response: { 200: Success },
  handle: async (call) => {
    const { level } = call.params;
    const { config_string, source } = call.body;
    const override = parseLayer('config_string', config_string);
    return answerChange(call, { kind: 'replace', level, override, source: source && fromSource(source) });
  },
});

export const updateConfigOverrideRoute = defineRoute({
  method: 'PATCH',
  path: '/internal/config/override/:level',
  bodySize: 'medium',
  access: adminOnly,
  isPreviewable: true,
  errors,
  tags,
  summary: 'Update one level of the configuration',
  description: 'A key replaces everything below it; null resets it.',
  params: ConfigLevelPath,
  body: ConfigChange,
  response: { 200: Success },
  handle: async (call) => {
    const override = parseLayer('config_override_string', call.body.config_override_string);
    return answerChange(call, { kind: 'merge', level: call.params.level, override });
  },
});

/** Older libraries know one level. */
export const updateConfigRoute = defineRoute({
  method: 'PATCH',
  path: '/internal/config/override',
  bodySize: 'medium',
  access: adminOnly,
  isPreviewable: true,
  errors,
  tags,
  summary: 'Update the configuration of the environment',
  description: 'For libraries that do not know levels.',
  body: ConfigChange,
  response: { 200: Success },
  handle: async (call) => {
    const override = parseLayer('config_override_string', call.body.config_override_string);
    return answerChange(call, { kind: 'merge', level: 'environment', override });
  },
});

export const resetConfigKeysRoute = defineRoute({
  method: 'POST',
  path: '/internal/config/override/:level/reset-keys',
  bodySize: 'large',
  access: adminOnly,
  isPreviewable: true,
  errors,
  tags,
  summary: 'Reset keys of one level of the configuration',
  description: 'The keys and everything below them then have the value of the level before, or the default.',
  params: ConfigLevelPath,
  body: ConfigKeys,
  response: { 200: Success },
  handle: async (call) => answerChange(call, { kind: 'reset', level: call.params.level, keys: call.body.keys }),
});

export const getConfigSourceRoute = defineRoute({
  method: 'GET',
  path: '/internal/config/source',
  access: adminOnly,
  tags,
  summary: 'Get the source of the pushed configuration',
  description: 'Where the level `branch` was pushed from.',
  response: { 200: ConfigSourceAnswer },
  handle: async ({ deps, caller }) => {
    const { source } = await findStoredConfig(deps.db, caller.projectId);
    return { source: toSource(source) };
  },
});

export const unlinkConfigSourceRoute = defineRoute({
  method: 'DELETE',
  path: '/internal/config/source',
  access: adminOnly,
  isPreviewable: true,
  tags,
  summary: 'Remove the source of the pushed configuration',
  description: 'The pushed configuration stays in force.',
  response: { 200: Success },
  handle: async ({ deps, context }) => {
    const { position } = await unlinkConfigSource(deps, context);
    return answerSuccess(position);
  },
});

import { existingProject, type ProjectState } from '../project/state.ts';
import type { ProjectKeyState } from '../project-key/state.ts';
import { buildFields, type Fields, inSnakeCase, millisOf } from './fields.ts';

/** Keys of the configuration document, which may be written with dots: `auth.oauth.providers.google.clientSecret`. */
const secretKeys = /(secret|password|token|privatekey)$/i;

export function fieldsOfProject(state: ProjectState): Fields {
  const builder = buildFields();
  const { add, addTree, addSecret } = builder;
  if (state.status === 'absent') return builder.fields;
  add('status', state.status);
  if (state.status === 'awaiting_deletion') add('erased_at_millis', millisOf(state.deleteAt));
  const project = existingProject(state);
  if (project === null) return builder.fields;
  const { details, config, secrets, settings, passwordMigration } = project;
  add('display_name', details.displayName);
  add('description', details.description);
  add('is_production_mode', details.isProductionMode);
  const domains = config.domains.map(({ domain, handlerPath }) => ({ id: domain, handlerPath }));
  addTree('config', inSnakeCase({ ...config, domains }));
  for (const [id, secret] of Object.entries(secrets.oauthClientSecrets)) {
    addSecret(`config.oauth_providers.${id}.client_secret`, secret);
  }
  addSecret('config.email_config.password', secrets.emailPassword);
  addTree('settings', inSnakeCase(settings));
  for (const userId of project.owners.keys()) add(`owners.${userId}`, true);
  for (const [userId, role] of project.members) add(`members.${userId}.role`, role);
  add('owner_team_id', project.ownerTeamId);
  for (const [id, template] of project.emailTemplates) addTree(`email_templates.${id}`, template);
  for (const { key, id, scope, description, contained } of project.permissions) {
    addTree(`permission_definitions.${key}`, { permission_id: id, scope, description, contained });
  }
  for (const [level, override] of Object.entries(project.configLayers)) {
    addTree(`config_overrides.${level}`, override, { secretKeys });
  }
  addTree('config_source', inSnakeCase(project.configSource));
  add('password_migration.url', passwordMigration?.url);
  addSecret('password_migration.secret', passwordMigration?.secret);
  return builder.fields;
}

export function fieldsOfProjectKey(key: ProjectKeyState): Fields {
  const builder = buildFields();
  const { add, addSecret } = builder;
  if (key.status === 'absent') return builder.fields;
  add('status', key.status);
  add('description', key.description);
  add('expires_at_millis', millisOf(key.expiresAt));
  for (const [name, part] of Object.entries(inSnakeCase(key.parts) as object)) addSecret(name, part);
  return builder.fields;
}

import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinition } from '@gatebook/domain/event';
import { z } from 'zod';

type JsonSchema = {
  type?: string | readonly string[];
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  items?: JsonSchema;
  $ref?: string;
};

const aggregates = [
  [
    'User',
    'user-<id>',
    /^(User(?!Batch)|ContactChannel|PrimaryChannel|PasswordReset|OtpAuth|Totp|SignIns|Passkey|OAuthAccount|ProjectPermission|TeamSelected|NotificationPreference)/,
  ],
  ['Session', 'session-<id>', /^Session/],
  [
    'Project',
    'project-<id>',
    /^(Project(?!Key|Closed)|EmailTemplate|PermissionDefinition|CustomMetric|Config(Override|Source)|AuditLog)/,
  ],
  ['Project closure', 'projectclosure-<id>', /^ProjectClosed/],
  ['Team', 'team-<id>', /^Team(?!Member|Profile|Permission|Right)/],
  ['Team membership', 'membership-<team>.<user>', /^Team(Member|Profile|Permission|Right)/],
  ['API key', 'apikey-<id>', /^ApiKey/],
  ['Project key', 'projectkey-<id>', /^ProjectKey/],
  ['Reservation of a unique value', 'reservation-<kind>-<keyed hash>', /^(ValueReserved|Reservation|AddressErased)/],
  ['Quota', 'quota-<owner>', /^Quota/],
  ['One-time code', 'code-<hash>', /^Code/],
  ['Provider grant', 'providergrant-<keyed hash>', /^Provider/],
  ['Idempotency record', 'request-<keyed hash>', /^Request/],
  ['Email', 'email-<id>', /^Email(?!Template)/],
  ['Mailing', 'mailing-<id>', /^Mailing/],
  ['Batch of users', 'userbatch-<id>', /^UserBatch/],
  ['Webhook endpoint', 'webhook-<id>', /^Webhook/],
] as const;

/** The event catalog as Markdown, from the definitions that the codec validates events with. */
export function eventCatalog(): string {
  const rest = new Map<string, EventDefinition>(Object.entries(catalog));
  const sections = aggregates.map(([title, stream, pattern]) => {
    const events = [...rest].filter(([type]) => pattern.test(type));
    for (const [type] of events) rest.delete(type);
    return `## ${title}\n\nStream \`${stream}\`.\n\n| Event | Version | Fields | Encrypted under |\n| --- | --- | --- | --- |\n${events.map(describeEvent).join('\n')}\n`;
  });
  if (rest.size > 0) throw new Error(`events without a section of the catalog: ${[...rest.keys()].join(', ')}`);
  return `${header}\n${sections.join('\n')}`;
}

const header = `# Event catalog

Made from the event definitions in \`services/domain\` by \`npm run docs\`; a test keeps it fresh. Every event also carries
metadata: project, actor, session, request id, correlation and causation ids, the basis of the decision, and the origin of
the request (address and user agent), which is encrypted under the key of the actor. Encrypted fields (**bold**) are
encrypted under the key of the subject named in the last column and read as null once that key is destroyed.
`;

function describeEvent([type, definition]: readonly [string, EventDefinition]): string {
  const schema = z.toJSONSchema(definition.data, { io: 'input' }) as JsonSchema;
  const isEncrypted = new Set<string>(definition.personal?.fields);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const shown = isEncrypted.has(name) ? `**${name}**` : name;
    return `${shown}: ${describeType(field)}`;
  });
  return `| \`${type}\` | ${definition.version} | ${fields.join(', ')} | ${definition.personal?.subject ?? ''} |`;
}

function describeType(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(' or ');
  if (schema.format) return schema.format;
  if (schema.$ref) return 'JSON';
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return describeOptions(options);
  if (schema.type === 'array') return `list of ${describeType(schema.items ?? {})}`;
  if (schema.type === 'object') return 'object';
  return schema.type === undefined ? 'JSON' : [schema.type].flat().join(' or ');
}

function describeOptions(options: readonly JsonSchema[]): string {
  const words = new Set(options.map(describeType));
  return [...words].join(' or ');
}

import type { WebhookDisabledReason } from '@gatebook/domain/webhook/events';
import type { WebhookSecret, WebhookValues } from '@gatebook/domain/webhook/state';
import { maxListed } from '../list-limits.ts';
import { defineCrossProjectQuery, defineQuery, type ReadDb } from '../read-db.ts';

export type WebhookEndpoint = WebhookValues & {
  projectId: string;
  id: string;
  /** Newest first. `expiresAt` may have passed; null: the current one. */
  secrets: readonly { secret: string; expiresAt: Date | null }[];
  isEnabled: boolean;
  disabledReason: WebhookDisabledReason | null;
  /** A place in the feed. */
  startAfter: { position: string; index: number; nth: number };
  createdAt: Date;
};

type EndpointRow = Omit<WebhookEndpoint, 'secrets' | 'isEnabled' | 'createdAt'> & {
  secrets: readonly WebhookSecret[];
  createdAt: number;
};

const columns = `e.project_id as "projectId", e.id, e.url, e.description, e.types, e.ordering,
  e.rate_limit_per_second as "rateLimitPerSecond", e.headers, e.secrets, e.disabled_reason as "disabledReason",
  e.start_after as "startAfter", (extract(epoch from e.created_at) * 1000)::float8 as "createdAt"`;

const toEndpoint = ({ secrets, createdAt, ...row }: EndpointRow): WebhookEndpoint => ({
  ...row,
  secrets: secrets.map(({ secret, expiresAt }) => ({
    secret,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  })),
  isEnabled: row.disabledReason === null,
  createdAt: new Date(createdAt),
});

/** A project that awaits its deletion sends nothing until it is restored. */
const openEndpoints = (schema: string) =>
  `${schema}.webhook_endpoints e join ${schema}.projects p on p.id = e.project_id`;

const listQuery = defineQuery({
  name: 'list-webhook-endpoints',
  sql: (schema) => `select ${columns} from ${openEndpoints(schema)}
    where e.project_id = $1 order by e.since limit ${maxListed}`,
});

/** Oldest first. */
export async function listWebhookEndpoints(
  db: ReadDb,
  { projectId }: { projectId: string },
): Promise<WebhookEndpoint[]> {
  return (await db.rows<EndpointRow>(listQuery, [projectId])).map(toEndpoint);
}

const projectsQuery = defineCrossProjectQuery({
  name: 'list-projects-with-webhooks',
  sql: (schema) => `select distinct e.project_id as id from ${schema}.webhook_endpoints e`,
});

/** Projects that have endpoints. */
export async function listProjectsWithWebhooks(db: ReadDb): Promise<string[]> {
  const rows = await db.rowsOfAllProjects<{ id: string }>(projectsQuery, []);
  return rows.map(({ id }) => id);
}

const findQuery = defineQuery({
  name: 'find-webhook-endpoint',
  sql: (schema) => `select ${columns} from ${openEndpoints(schema)} where e.project_id = $1 and e.id = $2`,
});

/** null for an endpoint of another project, too. */
export async function findWebhookEndpoint(
  db: ReadDb,
  projectId: string,
  endpointId: string,
): Promise<WebhookEndpoint | null> {
  const [row] = await db.rows<EndpointRow>(findQuery, [projectId, endpointId]);
  return row ? toEndpoint(row) : null;
}

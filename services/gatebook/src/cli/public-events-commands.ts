import type { EventListView } from '@gatebook/contract/events/events';
import type { PublicEventView } from '@gatebook/contract/events/public-event-types';
import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { followApi } from './follow-live.ts';
import { type OwnerOptions, openOwnerApi, projectOption, queryOf } from './owner-api.ts';

type Filters = OwnerOptions & { types?: string; user?: string; team?: string; after?: string };
type ListOptions = Filters & { limit: string };
type Page = Omit<EventListView, 'items'> & { items: PublicEventView[] };

/** `gatebook events list` and `follow` */
export function addPublicEventsCommands(events: Command, context: CliContext): void {
  withFilters(events.command('list'))
    .description('list public events of a project, oldest first')
    .option('--limit <number>', 'at most this many, up to 1000', '50')
    .action((options: ListOptions) => list(context, options));
  withFilters(events.command('follow'))
    .description('print public events of a project as they happen, until Ctrl-C')
    .action((options: Filters) => follow(context, options));
}

const withFilters = (command: Command): Command =>
  command
    .addOption(projectOption())
    .option('--types <types>', 'types such as user.created or "user.*", separated by commas')
    .option('--user <id>', 'only events of this user')
    .option('--team <id>', 'only events of this team')
    .option('--after <cursor>', 'start after this cursor')
    .option('--json', 'print JSON', false);

const fieldsOf = ({ types, user, team }: Filters) => ({ types, user_id: user, team_id: team });

async function list(context: CliContext, options: ListOptions): Promise<void> {
  const { print } = context;
  const { read } = await openOwnerApi(context, options.project);
  const { after, limit } = options;
  const page = await read<Page>(`/events${queryOf({ ...fieldsOf(options), after, limit })}`);
  if (options.json) return print(JSON.stringify(page));
  for (const event of page.items) print(describe(event));
  if (page.items.length === 0) print('No events.');
  if (page.has_more) print(`There are more: --after ${page.next_after}`);
}

async function follow(context: CliContext, options: Filters): Promise<void> {
  const api = await openOwnerApi(context, options.project);
  const pathAfter = (after: string) => `/events/stream${queryOf({ ...fieldsOf(options), after })}`;
  for await (const { data } of followApi<PublicEventView>(context, api, pathAfter, options.after))
    context.print(options.json ? JSON.stringify(data) : describe(data));
}

function describe({ id, type, created_at_millis: at, actor, data }: PublicEventView): string {
  const subject = data.user_id ?? data.team_id ?? data.id;
  const by = actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`;
  return `${new Date(at).toISOString()}  ${type}  ${subject}  by ${by}  ${id}`;
}

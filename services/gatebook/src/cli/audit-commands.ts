import {
  type AuditEventDetailView,
  type AuditEventListView,
  type AuditEventTypeListView,
  type AuditEventView,
  AuditTargetType,
  type AuditTimelineView,
} from '@gatebook/contract/audit';
import type { AuditChainView } from '@gatebook/contract/explanations';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CliContext, CommandError } from './cli-context.ts';
import { followApi } from './follow-live.ts';
import { describeEvent, describeEvents, describeEventTypes, describeTimeline } from './history-text.ts';
import { type OwnerOptions, openOwnerApi, projectOption, queryOf } from './owner-api.ts';
import { count } from './text.ts';

type Filters = {
  type?: string;
  category?: string;
  outcome?: string;
  actorKind?: string;
  actor?: string;
  targetType?: string;
  target?: string;
  action?: string;
  ip?: string;
  excludeType?: string;
  excludeCategory?: string;
  excludeActorKind?: string;
  excludeActor?: string;
  excludeTargetType?: string;
  excludeTarget?: string;
  excludeAction?: string;
  excludeIp?: string;
  since?: number;
  until?: number;
  technical?: true;
  cursor?: string;
};
type ListOptions = OwnerOptions & Filters & { limit: string };
type FollowOptions = OwnerOptions & Filters;
type TimelineOptions = OwnerOptions & Omit<Filters, 'cursor'> & { buckets: string };
type ExportOptions = OwnerOptions & Filters & { format: string };

const events = '/internal/audit-events';

/** `gatebook audit …` */
export function addAuditCommands(program: Command, context: CliContext): void {
  const audit = program.command('audit').description('read the audit log of a project, for its owners');
  withFilters(audit.command('list'))
    .description('list events and rejected calls, newest first')
    .addOption(cursorOption())
    .option('--limit <number>', 'at most this many, up to 200', '50')
    .action((options: ListOptions) => list(context, options));
  withFilters(audit.command('follow'))
    .description('print events as they happen, until Ctrl-C')
    .addOption(cursorOption())
    .action((options: FollowOptions) => follow(context, options));
  withFilters(audit.command('timeline'))
    .description('count events and rejected calls over time: of the last day, unless --since or --until say otherwise')
    .option('--buckets <number>', 'how many equal parts of the time, up to 200', '24')
    .action((options: TimelineOptions) => showTimeline(context, options));
  audit
    .command('types')
    .description('list the types of events, and which of them can be undone')
    .addOption(projectOption())
    .option('--json', 'print JSON', false)
    .action((options: OwnerOptions) => listTypes(context, options));
  audit
    .command('show')
    .description('show an event: who, what it changed, what it caused, and whether it can be undone')
    .argument('<id>', 'ID of the event')
    .addOption(projectOption())
    .option('--json', 'print JSON', false)
    .action((id: string, options: OwnerOptions) => show(context, id, options));
  audit
    .command('chain')
    .description('show what led to an event, and what it led to')
    .argument('<id>', 'ID of the event')
    .addOption(projectOption())
    .option('--json', 'print JSON', false)
    .action((id: string, options: OwnerOptions) => showChain(context, id, options));
  withFilters(audit.command('export'))
    .description('write the audit log to a file; the export is recorded in the audit log')
    .argument('<file>', 'file to write; - for standard output')
    .addOption(cursorOption())
    .addOption(new Option('--format <format>').choices(['jsonl', 'csv', 'ocsf', 'cloudevents']).default('jsonl'))
    .action((file: string, options: ExportOptions) => exportLog(context, file, options));
}

const withFilters = (command: Command): Command =>
  command
    .addOption(projectOption())
    .option('--type <types>', 'event types or categories such as "session.*", separated by commas')
    .option('--category <category>', 'such as user or team')
    .addOption(new Option('--outcome <outcome>').choices(['success', 'rejected']))
    .option('--actor-kind <kinds>', 'such as owner,admin')
    .option('--actor <id>', 'ID of the user who caused the events')
    .addOption(new Option('--target-type <type>', 'what the events concern').choices(AuditTargetType.options))
    .option('--target <id>', 'ID of a user, team, key or other thing')
    .option('--action <id>', 'ID of a request')
    .option('--ip <network>', 'IP address or network')
    .option('--exclude-type <types>', 'leave out these event types or categories')
    .option('--exclude-category <categories>', 'leave out these categories, separated by commas')
    .option('--exclude-actor-kind <kinds>', 'leave out these kinds of actors')
    .option('--exclude-actor <ids>', 'leave out what these users caused, separated by commas')
    .option('--exclude-target-type <types>', 'leave out what concerns such things, separated by commas')
    .option('--exclude-target <ids>', 'leave out what concerns these things')
    .option('--exclude-action <ids>', 'leave out these requests')
    .option('--exclude-ip <networks>', 'leave out these IP addresses or networks')
    .option('--since <time>', 'from this time on, such as 2026-11-01', toMillis)
    .option('--until <time>', 'before this time', toMillis)
    .option('--technical', 'technical events too')
    .option('--json', 'print JSON', false);

const cursorOption = () =>
  new Option('--cursor <cursor>', 'continue where an earlier list or export with the same filters ended');

function toMillis(text: string): number {
  const millis = Date.parse(text);
  if (Number.isNaN(millis)) throw new InvalidArgumentError('Expected a date or a time, such as 2026-11-01.');
  return millis;
}

const fieldsOf = (filters: Filters) => ({
  type: filters.type,
  category: filters.category,
  outcome: filters.outcome,
  actor_kind: filters.actorKind,
  actor_id: filters.actor,
  target_type: filters.targetType,
  target_id: filters.target,
  action_id: filters.action,
  ip: filters.ip,
  exclude_type: filters.excludeType,
  exclude_category: filters.excludeCategory,
  exclude_actor_kind: filters.excludeActorKind,
  exclude_actor_id: filters.excludeActor,
  exclude_target_type: filters.excludeTargetType,
  exclude_target_id: filters.excludeTarget,
  exclude_action_id: filters.excludeAction,
  exclude_ip: filters.excludeIp,
  from_millis: filters.since,
  until_millis: filters.until,
  include_technical: filters.technical,
  cursor: filters.cursor,
});

async function list(context: CliContext, options: ListOptions): Promise<void> {
  const { print } = context;
  const { read } = await openOwnerApi(context, options.project);
  const query = queryOf({ ...fieldsOf(options), limit: options.limit });
  const page = await read<AuditEventListView>(`${events}${query}`);
  if (options.json) return print(JSON.stringify(page));
  for (const line of describeEvents(page.items)) print(line);
  if (page.items.length === 0) print('No events.');
  const next = page.pagination?.next_cursor;
  if (next) print(`There are more: --cursor ${next}`);
}

async function follow(context: CliContext, options: FollowOptions): Promise<void> {
  const api = await openOwnerApi(context, options.project);
  const { cursor: after, ...filters } = fieldsOf(options);
  const pathAfter = (cursor: string) => `${events}/stream${queryOf({ ...filters, after: cursor })}`;
  for await (const { cursor, data } of followApi<AuditEventView>(context, api, pathAfter, after)) {
    for (const line of options.json ? [JSON.stringify({ ...data, cursor })] : describeEvents([data]))
      context.print(line);
  }
}

const dayMs = 86_400_000;

async function showTimeline(context: CliContext, { buckets, ...options }: TimelineOptions): Promise<void> {
  const { read } = await openOwnerApi(context, options.project);
  const until = options.until ?? Date.now();
  const query = queryOf({ ...fieldsOf({ ...options, until, since: options.since ?? until - dayMs }), buckets });
  const timeline = await read<AuditTimelineView>(`${events}/timeline${query}`);
  if (options.json) return context.print(JSON.stringify(timeline));
  for (const line of describeTimeline(timeline)) context.print(line);
}

async function listTypes(context: CliContext, { project, json }: OwnerOptions): Promise<void> {
  const { read } = await openOwnerApi(context, project);
  const types = await read<AuditEventTypeListView>('/internal/audit-event-types');
  if (json) return context.print(JSON.stringify(types));
  for (const line of describeEventTypes(types)) context.print(line);
}

const eventPath = (id: string) => `${events}/${encodeURIComponent(id)}`;

async function show(context: CliContext, id: string, { project, json }: OwnerOptions): Promise<void> {
  const { read } = await openOwnerApi(context, project);
  const event = await read<AuditEventDetailView>(eventPath(id));
  if (json) return context.print(JSON.stringify(event));
  for (const line of describeEvent(event)) context.print(line);
}

async function showChain(context: CliContext, id: string, { project, json }: OwnerOptions): Promise<void> {
  const { read } = await openOwnerApi(context, project);
  const chain = await read<AuditChainView>(`${eventPath(id)}/chain`);
  if (json) return context.print(JSON.stringify(chain));
  const sections = { 'Caused by': chain.causes, Effects: chain.effects };
  context.print(`Action ${chain.action_id}`);
  for (const [title, items] of Object.entries(sections)) {
    context.print(items.length === 0 ? `${title}: none` : `${title}:`);
    for (const line of describeEvents(items)) context.print(`  ${line}`);
  }
  if (chain.is_truncated) context.print('There are more than 200 causes or effects.');
}

async function exportLog(context: CliContext, file: string, options: ExportOptions): Promise<void> {
  const { fetch } = await openOwnerApi(context, options.project);
  const query = queryOf({ ...fieldsOf(options), format: options.format });
  const { body } = await fetch(`${events}/export${query}`);
  if (body === null) throw new CommandError('The server sent no export.');
  const [{ copyExport }, { writeFile }] = await Promise.all([import('./export-end.ts'), import('../backup/files.ts')]);
  const { count: exported, nextCursor } = await writeFile(file, (output) => copyExport(body, output, options.format));
  const print = file === '-' ? context.printError : context.print;
  if (options.json) return print(JSON.stringify({ count: exported, next_cursor: nextCursor }));
  print(`Exported ${count(exported)} events. For the next export with the same filters: --cursor ${nextCursor}`);
}

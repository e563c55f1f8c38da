import {
  type UserBatchFailureListView,
  type UserBatchListView,
  type UserBatchPreviewView,
  type UserBatchView,
  UserChange,
} from '@gatebook/contract/user-batches';
import { Argument, type Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { type OwnerOptions, openOwnerApi, projectOption } from './owner-api.ts';
import { columns, count } from './text.ts';

type ConfirmOptions = OwnerOptions & { preview: boolean; yes: boolean };
type StartOptions = ConfirmOptions & {
  user: string[];
  filter: string[];
  except: string[];
  all: boolean;
  reason?: string;
  team?: string;
  permission?: string;
};

const batches = '/internal/user-batches';
const pathOf = (batchId: string, rest = '') => `${batches}/${encodeURIComponent(batchId)}${rest}`;
const usersOf = (number: number) => `${count(number)} ${number === 1 ? 'user' : 'users'}`;
const addTo = (value: string, before: string[]) => [...before, value];

/** `gatebook user-batches …`: the same change of many users, which the server makes. */
export function addUserBatchesCommands(program: Command, context: CliContext): void {
  const group = program.command('user-batches').description('change many users at once, as the signed-in owner');
  const add = (name: string, description: string): Command =>
    group.command(name).description(description).addOption(projectOption()).option('--json', 'print JSON', false);
  const addConfirmed = (name: string, description: string): Command =>
    add(name, description)
      .option('--preview', 'only show what it would do', false)
      .option('--yes', 'do not ask for confirmation', false);
  addConfirmed('start', 'preview a change of many users, and start it on the server')
    .addArgument(new Argument('<action>', 'what to do with each user').choices(UserChange.options))
    .option('--user <id>', 'a user; can be repeated', addTo, [])
    .option('--filter <name=value>', 'users who match, as in GET /internal/users; can be repeated', addTo, [])
    .option('--all', 'all users of the project', false)
    .option('--except <id>', 'a user who matches, but is left out; can be repeated', addTo, [])
    .option('--reason <text>', 'of restrict: shown to the users')
    .option('--team <id>', 'of add_to_team')
    .option('--permission <id>', 'of grant_permission')
    .action((action: UserChange, options: StartOptions) => start(context, action, options));
  add('list', 'list batches, newest first').action((options: OwnerOptions) => list(context, options));
  add('show', 'show how far a batch is, and what failed')
    .argument('<batch>', 'ID of the batch')
    .action((batchId: string, options: OwnerOptions) => show(context, batchId, options));
  add('cancel', 'cancel a batch; users who were changed stay changed')
    .argument('<batch>', 'ID of the batch')
    .action((batchId: string, options: OwnerOptions) => cancel(context, batchId, options));
  addConfirmed('undo', 'preview the undo of a batch, and start it as a batch')
    .argument('<batch>', 'ID of the batch')
    .action((batchId: string, options: ConfirmOptions) => undo(context, batchId, options));
}

async function start(context: CliContext, action: UserChange, options: StartOptions): Promise<void> {
  const { read } = await openOwnerApi(context, options.project);
  const body = {
    action,
    reason: options.reason,
    team_id: options.team,
    permission_id: options.permission,
    ...selectionOf(options),
  };
  const preview = await read<UserBatchPreviewView>(`${batches}/preview`, { method: 'POST', body });
  await confirmAndStart(context, { ...options, found: preview, verb: 'Change' }, () =>
    read<UserBatchView>(batches, { method: 'POST', body: { ...body, expected_count: preview.count } }),
  );
}

async function undo(context: CliContext, batchId: string, options: ConfirmOptions): Promise<void> {
  const { read } = await openOwnerApi(context, options.project);
  const call = { method: 'POST', body: {} } as const;
  const found = await read<UserBatchPreviewView>(pathOf(batchId, '/undo/preview'), call);
  await confirmAndStart(context, { ...options, found, verb: 'Undo the changes to' }, () =>
    read<UserBatchView>(pathOf(batchId, '/undo'), call),
  );
}

type Confirmation = ConfirmOptions & { found: UserBatchPreviewView; verb: string };

/** @throws CommandError */
async function confirmAndStart(
  { print, terminal, stopSignal }: CliContext,
  { json, preview: isPreview, yes, found, verb }: Confirmation,
  start: () => Promise<UserBatchView>,
): Promise<void> {
  if (json && isPreview) print(JSON.stringify(found));
  if (!json) for (const line of describePreview(found)) print(line);
  if (isPreview) return;
  if (!yes && !(await terminal?.confirm(`${verb} ${usersOf(found.count)}?`, stopSignal()))) {
    throw new CommandError('Nothing was changed. Use --yes to confirm.', exitCodes.notApproved);
  }
  const batch = await start();
  if (json) return print(JSON.stringify(batch));
  print(`Started batch ${batch.id}. Its progress: gatebook user-batches show ${batch.id}`);
}

/** @throws CommandError */
function selectionOf({ user, filter, all, except }: StartOptions) {
  const kinds = [user.length > 0, filter.length > 0, all].filter(Boolean).length;
  if (kinds !== 1) throw new CommandError('Name the users by one of --user, --filter and --all.', exitCodes.usage);
  if (user.length > 0) return { user_ids: user, ...(except.length > 0 && { except_user_ids: except }) };
  const filters = Object.fromEntries(
    filter.map((text) => {
      const [name, ...value] = text.split('=');
      return [name, value.join('=')];
    }),
  );
  return { filters, ...(except.length > 0 && { except_user_ids: except }) };
}

function describePreview(preview: UserBatchPreviewView): string[] {
  const { previewed, changed, unchanged, rejections, effects } = preview;
  return [
    `${usersOf(preview.count)} in total`,
    `Of the first ${usersOf(previewed)}: ${count(changed)} would change, ${count(unchanged)} already as wanted`,
    ...rejections.map((rejection) => `  ${usersOf(rejection.count)}: ${rejection.error}`),
    ...effects.map((effect) => `  ${effect.kind}: ${count(effect.count)}`),
    preview.is_reversible ? 'Can be undone.' : 'Cannot be undone.',
  ];
}

async function list(context: CliContext, { project, json }: OwnerOptions): Promise<void> {
  const { read } = await openOwnerApi(context, project);
  const found = await read<UserBatchListView>(batches);
  if (json) return context.print(JSON.stringify(found));
  for (const line of columns(found.items.map(cellsOf))) context.print(line);
}

async function show(context: CliContext, batchId: string, { project, json }: OwnerOptions): Promise<void> {
  const { read } = await openOwnerApi(context, project);
  const batch = await read<UserBatchView>(pathOf(batchId));
  const failures = await read<UserBatchFailureListView>(pathOf(batchId, '/failures'));
  if (json) return context.print(JSON.stringify({ ...batch, failures: failures.items }));
  context.print(cellsOf(batch).join('  '));
  for (const { user_id: userId, error } of failures.items) context.print(`  ${userId}: ${error}`);
  const more = batch.failed - failures.items.length;
  if (failures.pagination.next_cursor !== null) context.print(`  and ${count(more)} more`);
}

async function cancel(context: CliContext, batchId: string, { project, json }: OwnerOptions): Promise<void> {
  const { read } = await openOwnerApi(context, project);
  const batch = await read<UserBatchView>(pathOf(batchId, '/cancel'), { method: 'POST', body: {} });
  context.print(json ? JSON.stringify(batch) : cellsOf(batch).join('  '));
}

const cellsOf = ({ id, created_at_millis: at, action, status, done, total, failed }: UserBatchView): string[] => [
  new Date(at).toISOString(),
  id,
  action,
  status,
  `${count(done)} of ${usersOf(total)}${failed > 0 ? `, ${count(failed)} failed` : ''}`,
];

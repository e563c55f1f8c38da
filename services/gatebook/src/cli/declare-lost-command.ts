import { LostKeyError } from '@gatebook/eventlog/codec';
import type { EventStore } from '@gatebook/eventlog/port';
import { listQuarantined, requestRelease } from '@gatebook/projections/quarantine/quarantine';
import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { withOperator } from './operator.ts';
import { columns, count, json } from './text.ts';

type Options = { yes: boolean; json: boolean };
type Unreadable = { subject: string; project: string; type: string; events: number };

const pageSize = 1000;

/** `gatebook keys declare-lost <subjects…>` */
export function addDeclareLostCommand(keys: Command, context: CliContext): void {
  keys
    .command('declare-lost')
    .description('record subjects whose keys are lost as erased, so that their projects continue without their data')
    .argument('<subjects...>', 'IDs of the subjects; the error of the quarantined project names them')
    .option('--yes', 'do not ask for confirmation', false)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nLook for a backup of the schema keys first: a subject that is recorded as erased never gets its key back.',
    )
    .action((subjects: string[], options: Options) => declareLost(context, subjects, options));
}

async function declareLost(context: CliContext, subjects: readonly string[], options: Options): Promise<void> {
  await withOperator(context, async ({ accountPool, pool, keyring, store }, signal) => {
    const known = await keyring.open(subjects);
    for (const subject of subjects) {
      if (known.get(subject)) throw new CommandError(`The key of subject ${subject} is not lost.`, exitCodes.usage);
      if (known.has(subject)) throw new CommandError(`Subject ${subject} is already erased.`, exitCodes.usage);
    }
    const projects = [...new Set((await listQuarantined(pool)).map(({ projectId }) => projectId))];
    const unreadable = await findUnreadable(store, projects, new Set(subjects));
    if (!options.json) printUnreadable(context, unreadable);
    const question = `Record ${subjects.length === 1 ? 'this subject' : `these ${subjects.length} subjects`} as erased? This cannot be undone.`;
    const isConfirmed = options.yes || (await context.terminal?.confirm(question, signal));
    if (!isConfirmed) throw new CommandError('Nothing was changed. Use --yes to confirm.', exitCodes.notApproved);
    for (const subject of subjects) await accountPool.query('select keys.erase_subject($1)', [subject]);
    const released = [...new Set(unreadable.map(({ project }) => project))];
    for (const projectId of released) await requestRelease(pool, { projectId });
    if (options.json) return context.print(json({ subjects, unreadable, retried_projects: released }));
    context.print(`Recorded ${count(subjects.length)} as erased. Their personal data now reads as null.`);
    for (const project of released) context.print(`Project ${project} is retried.`);
  });
}

function printUnreadable({ print }: CliContext, unreadable: readonly Unreadable[]): void {
  if (unreadable.length === 0) {
    print('No event of a quarantined project needs these keys.');
    return;
  }
  print('Personal data of these events will read as null:\n');
  const rows = unreadable.map(({ subject, project, type, events }) => [subject, project, type, count(events)]);
  for (const line of columns([['SUBJECT', 'PROJECT', 'EVENT TYPE', 'EVENTS'], ...rows], [3])) print(line);
  print('');
}

/** Counts the events of these projects that need one of the keys. */
async function findUnreadable(
  store: Pick<EventStore, 'readProjects'>,
  projects: readonly string[],
  subjects: ReadonlySet<string>,
): Promise<Unreadable[]> {
  const found = new Map<string, Unreadable>();
  for (const project of projects) {
    for (let after = 0n; ; ) {
      const { events, upTo } = await store.readProjects([project], after, pageSize);
      for (const { type, unreadable } of events) {
        if (!(unreadable instanceof LostKeyError) || !subjects.has(unreadable.subjectId)) continue;
        const name = `${unreadable.subjectId} ${project} ${type}`;
        const before = found.get(name) ?? { subject: unreadable.subjectId, project, type, events: 0 };
        found.set(name, { ...before, events: before.events + 1 });
      }
      if (events.length < pageSize) break;
      after = upTo;
    }
  }
  return [...found.values()];
}

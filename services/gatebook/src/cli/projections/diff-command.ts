import { type Comparison, compareWithLive, type TableComparison } from '@gatebook/projections/operations/compare';
import { findProjectionVersion } from '@gatebook/projections/operations/rebuilds';
import { comparisonToWire } from '@gatebook/projections/operations/wire';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { listProjectionVersions, type ProjectionVersion } from '@gatebook/projections/projection-versions';
import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from '../cli-context.ts';
import { findGroup, type Operator, withOperator } from '../operator.ts';
import { whileProjected } from '../projecting.ts';
import { columns, count, json } from '../text.ts';
import { groupDescription, type Json, orRejected } from './operations.ts';

type DiffOptions = Json & { with?: string };

/** `gatebook projections diff [group]` */
export function addDiffCommand(projections: Command, context: CliContext): void {
  projections
    .command('diff')
    .description('compare the standby or previous projection version with the live one, row by row at one position')
    .argument('[group]', groupDescription, 'main')
    .option('--with <projection version>', 'compare this one instead; `projections list` shows the names')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExits with 0 when they are equal, with 5 when they differ.')
    .action((group: string, options: DiffOptions) => diff(context, group, options));
}

async function diff(context: CliContext, name: string, options: DiffOptions): Promise<void> {
  const comparison = await withOperator(context, async (operator) => {
    const { pool, store } = operator;
    const group = findGroup(operator, name);
    return orRejected(async () => {
      const other = await findOther(operator, group, options.with);
      return whileProjected(operator, group, () => compareWithLive({ pool, store, group }, other.id));
    });
  });
  context.print(options.json ? json(comparisonToWire(comparison)) : comparisonText(comparison).join('\n'));
  if (!comparison.isEqual) {
    throw new CommandError(`${comparison.other} differs from ${comparison.live}.`, exitCodes.problemFound);
  }
}

/** The standby version, or the previous one if there is no standby. */
async function findOther(
  { pool }: Operator,
  group: ProjectionGroup,
  schema: string | undefined,
): Promise<ProjectionVersion> {
  if (schema !== undefined) return findProjectionVersion(pool, schema);
  const all = await listProjectionVersions(pool, group.name);
  const other = all.find(({ isStandby }) => isStandby) ?? all.find(({ status }) => status === 'previous');
  if (other) return other;
  throw new CommandError(
    `There is only one projection version of ${group.name}. Build another: gatebook projections rebuild ${group.name}`,
  );
}

const describeQuarantined = (version: string, projects: readonly string[]) =>
  projects.length === 0 ? [] : ['', `Quarantined in ${version}, so their rows can differ: ${projects.join(', ')}`];

function comparisonText({ live, other, position, isEqual, tables, quarantined }: Comparison): string[] {
  const numbers = ({ table, rowsLive, rowsOther, onlyLive, onlyOther, changed }: TableComparison) => [
    table,
    ...[rowsLive, rowsOther, onlyLive, onlyOther, changed].map(count),
  ];
  const header = ['TABLE', live, other, `ONLY IN ${live}`, `ONLY IN ${other}`, 'CHANGED'];
  const differing = tables.filter(({ first }) => first.length > 0);
  return [
    `Both at position ${count(position)}:`,
    '',
    ...columns([header, ...tables.map(numbers)], [1, 2, 3, 4, 5]),
    ...differing.flatMap(({ table, first }) => [
      '',
      `First differing rows of ${table}:`,
      ...first.map(({ key, how, columns: names }) => `  ${describeKey(key)}  ${describeHow(how, names, live, other)}`),
    ]),
    ...(isEqual ? ['', 'All rows are equal.'] : []),
    ...describeQuarantined(live, quarantined.live),
    ...describeQuarantined(other, quarantined.other),
  ];
}

const describeKey = (key: Readonly<Record<string, unknown>>) =>
  Object.entries(key)
    .map(([column, value]) => `${column}=${value}`)
    .join(' ');

function describeHow(how: string, names: readonly string[], live: string, other: string): string {
  if (how === 'changed') return `differs in ${names.join(', ')}`;
  return `only in ${how === 'only-live' ? live : other}`;
}

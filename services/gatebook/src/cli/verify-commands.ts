import type { Table } from '@gatebook/projections/changes';
import { recordConsistencyCheck } from '@gatebook/projections/consistency/consistency-checks';
import { checkChecksums, findLive, NotComparableError } from '@gatebook/projections/consistency/live';
import { type Repair, repairRows, repairTable } from '@gatebook/projections/consistency/repair';
import { describeDifference, keyText, type RowDifference } from '@gatebook/projections/consistency/rows';
import { checkOfVerification } from '@gatebook/projections/consistency/verified';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { inSnapshot } from '@gatebook/projections/snapshot';
import { compareWithRebuild, isConsistent, type TableCheck, type Verification } from '@gatebook/projections/verify';
import { systemClock } from '@gatebook/runtime/clock';
import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { findGroup, type Operator, withOperator } from './operator.ts';
import { whileProjected } from './projecting.ts';
import { columns, count, json } from './text.ts';

type VerifyOptions = { group?: string; table?: string; quick: boolean; json: boolean };
type RepairOptions = { json: boolean };

const maxListed = 10;
/** API processes cache these tables until their project changes. */
const cachedTables = ['projects', 'project_keys'];

/** `gatebook projections verify` and `repair`, added to the commands of `projections`. */
export function addVerifyCommands(projections: Command, context: CliContext): void {
  projections
    .command('verify')
    .description('rebuild every row from the log and compare it with the live one, without interrupting traffic')
    .option(
      '--group <group>',
      'main (what the API reads), metrics (charts for owners), audit (the audit log) or events (public events); default: all',
    )
    .option('--table <table>', 'only this table')
    .option('--quick', 'only compare the rows of each table with its checksum', false)
    .option('--json', 'print a line of JSON for each group', false)
    .addHelpText('after', '\nExits with 0 when all rows match the log, with 5 when one differs.')
    .action((options: VerifyOptions) => verify(context, options));
  projections
    .command('repair')
    .description('repair rows from the log, without interrupting traffic')
    .argument('<table>', 'name of the table in `projections verify`')
    .argument(
      '[keys...]',
      'keys of the rows, with commas between the columns of a key; default: verify the whole table',
    )
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExits with 5 when the rows are repaired but the checksum of their table still differs.')
    .action((table: string, keys: string[], options: RepairOptions) => repair(context, table, keys, options));
}

async function verify(context: CliContext, options: VerifyOptions): Promise<void> {
  const areConsistent = await withOperator(context, async (operator, signal) => {
    const results: boolean[] = [];
    for (const group of groupsFor(operator, options)) {
      const verifyGroup = options.quick ? verifyChecksums : verifyRows;
      results.push(await orRejected(() => verifyGroup(context, operator, group, options, signal)));
    }
    return results.every((matches) => matches);
  });
  if (!areConsistent) throw new CommandError('Read models differ from the log.', exitCodes.problemFound);
}

function groupsFor(operator: Operator, { group, table }: VerifyOptions): readonly ProjectionGroup[] {
  const groups = group === undefined ? operator.groups : [findGroup(operator, group)];
  return table === undefined ? groups : [findTable(groups, table).group];
}

function findTable(groups: readonly ProjectionGroup[], name: string): { group: ProjectionGroup; table: Table } {
  for (const group of groups) {
    const table = group.tables.find((candidate) => candidate.name === name);
    if (table) return { group, table };
  }
  const names = groups.flatMap(({ tables }) => tables.map((table) => table.name)).join(', ');
  throw new CommandError(`There is no table ${name}; expected: ${names}.`, exitCodes.usage);
}

async function verifyRows(
  context: CliContext,
  operator: Operator,
  group: ProjectionGroup,
  options: VerifyOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { pool, store } = operator;
  const start = performance.now();
  const bar = options.json ? null : (context.terminal?.startBar(`verify ${group.name}`) ?? null);
  const onProgress = (position: bigint, head: bigint) => {
    const rate = Number(position) / ((performance.now() - start) / 1000);
    const secondsLeft = Number(head - position) / rate;
    bar?.show({ position: Number(position), total: Number(head), rate, secondsLeft });
  };
  const verification = await whileProjected(operator, group, () =>
    compareWithRebuild(pool, store, group, { table: options.table ?? null, onProgress, signal }),
  ).finally(() => bar?.stop());
  const check = checkOfVerification(verification, { checkedAt: systemClock(), tookMs: performance.now() - start });
  await recordConsistencyCheck(pool, check);
  context.print(options.json ? json(verificationJson(verification)) : verificationText(verification).join('\n'));
  return isConsistent(verification);
}

const verificationJson = (verification: Verification) => ({
  group: verification.group,
  projection_version: verification.projectionVersion,
  position: verification.position,
  is_consistent: isConsistent(verification),
  tables: verification.tables.map(({ table, rowsLive, rowsRebuilt, checksum, differing, differences }) => ({
    table,
    rows: rowsLive,
    rows_in_log: rowsRebuilt,
    checksum: checksum.replace(' ', '_'),
    differing,
    differences: differences.map(differenceJson),
  })),
});

const differenceJson = ({ key, kind, columns: names }: RowDifference) => ({ key, kind, columns: names });

function verificationText(verification: Verification): string[] {
  const { projectionVersion, position, tables } = verification;
  const cells = ({ table, rowsLive, rowsRebuilt, checksum, differing }: TableCheck) => [
    ...[table, count(rowsLive), count(rowsRebuilt), count(differing), checksum],
  ];
  const header = ['TABLE', 'ROWS', 'IN THE LOG', 'DIFFERING', 'CHECKSUM'];
  return [
    `${projectionVersion} at position ${count(position)}:`,
    '',
    ...columns([header, ...tables.map(cells)], [1, 2, 3]),
    '',
    ...(isConsistent(verification) ? ['All rows match the log.', ''] : tables.flatMap(differenceText)),
  ];
}

function differenceText({ table, differing, differences, checksum }: TableCheck): string[] {
  if (differing === 0) {
    if (checksum !== 'differs') return [];
    return [
      `${table}: all rows match the log, but the checksum differs because a damaged row was overwritten.`,
      `  gatebook projections repair ${table}`,
      '',
    ];
  }
  const [first] = differences;
  const more = differing - Math.min(maxListed, differences.length);
  const isOne = differing === 1 && first;
  return [
    ...differences.slice(0, maxListed).map(describeDifference),
    ...(more > 0 ? [`… and ${count(more)} more rows of ${table}`] : []),
    `  gatebook projections repair ${table}${isOne ? ` '${keyText(first.key)}'` : ''}`,
    '',
  ];
}

async function verifyChecksums(
  context: CliContext,
  { pool }: Operator,
  group: ProjectionGroup,
  options: VerifyOptions,
): Promise<boolean> {
  const names = group.tables.map(({ name }) => name).filter((name) => name === (options.table ?? name));
  const { live, checks } = await inSnapshot(pool, async (snapshot) => {
    const found = await findLive(snapshot, group);
    return { live: found, checks: await checkChecksums(snapshot, found, names) };
  });
  const matches = checks.every(({ state }) => state !== 'differs');
  if (options.json) {
    const tables = checks.map(({ table, rows, state }) => ({ table, rows, checksum: state.replace(' ', '_') }));
    const { schema, position } = live;
    context.print(json({ group: group.name, projection_version: schema, position, is_consistent: matches, tables }));
    return matches;
  }
  const cells = checks.map(({ table, rows, state }) => [table, count(rows), state]);
  context.print(`${live.schema} at position ${count(live.position)}:\n`);
  for (const line of columns([['TABLE', 'ROWS', 'CHECKSUM'], ...cells], [1])) context.print(line);
  for (const { table, state } of checks) {
    if (state !== 'differs') continue;
    context.print(`\nTo find the rows of ${table}: gatebook projections verify --table ${table}`);
  }
  context.print('');
  return matches;
}

async function repair(
  context: CliContext,
  name: string,
  keyTexts: readonly string[],
  options: RepairOptions,
): Promise<void> {
  const matches = await withOperator(context, async (operator, signal) => {
    const { pool, store, groups } = operator;
    const { group, table } = findTable(groups, name);
    const keys = keyTexts.map((text) => parseKey(table, text));
    const start = performance.now();
    const result = await orRejected(() =>
      whileProjected(operator, group, () =>
        keys.length > 0
          ? repairRows(pool, store, group, name, keys)
          : repairTable(pool, store, group, name, { signal }),
      ),
    );
    const { projectionVersion, position, repaired, checksum } = result;
    await recordConsistencyCheck(pool, {
      group: group.name,
      projectionVersion,
      position,
      kind: 'repair',
      checkedAt: systemClock(),
      rowsChecked: keys.length,
      tookMs: performance.now() - start,
      differing: repaired.length,
      differences: repaired,
      checksumsOff: checksum === 'differs' ? [name] : [],
    });
    context.print(options.json ? json(repairJson(result)) : repairText(result).join('\n'));
    return checksum !== 'differs';
  });
  if (!matches) throw new CommandError(`The checksum of ${name} still differs.`, exitCodes.problemFound);
}

const repairJson = ({ table, projectionVersion, position, repaired, checksum }: Repair) => ({
  table,
  projection_version: projectionVersion,
  position,
  repaired: repaired.map(differenceJson),
  checksum: checksum.replace(' ', '_'),
});

function repairText({ table, projectionVersion, position, repaired, checksum }: Repair): string[] {
  const at = `${projectionVersion} at position ${count(position)}`;
  return [
    repaired.length === 0 ? `No differences in ${at}.` : `Repaired in ${at}:`,
    ...repaired.map((difference) => `  ${describeDifference(difference)}`),
    ...(repaired.length > 0 && cachedTables.includes(table)
      ? ['API processes cache projects and their keys, so restart them.']
      : []),
    ...(checksum === 'differs'
      ? [
          `Other rows of ${table} differ, or a damaged row was overwritten. To repair the whole table:`,
          `  gatebook projections repair ${table}`,
        ]
      : []),
  ];
}

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const forms: Readonly<Record<string, RegExp>> = { uuid, bigint: /^\d{1,18}$/, integer: /^\d{1,9}$/ };

/** @throws CommandError for an invalid key */
function parseKey({ name, key, columns: all }: Table, text: string): Readonly<Record<string, string>> {
  const parts = key.length === 1 ? [text] : text.split(',');
  const isValid = key.every((column, at) => (forms[all[column]?.type ?? ''] ?? /./).test(parts[at] ?? ''));
  if (parts.length !== key.length || !isValid) {
    throw new CommandError(`Invalid key "${text}" for table ${name}; expected: ${key.join(',')}.`, exitCodes.usage);
  }
  return Object.fromEntries(key.map((column, at) => [column, canonical(all[column]?.type, parts[at] ?? '')]));
}

const canonical = (type: string | undefined, part: string) => (type === 'uuid' ? part.toLowerCase() : part);

/** Turns a comparison that is not possible, and Ctrl-C, into an error message of the command. */
async function orRejected<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotComparableError) throw new CommandError(`${error.message}.`);
    if (error instanceof DOMException && error.name === 'AbortError') throw new CommandError('Stopped.');
    throw error;
  }
}

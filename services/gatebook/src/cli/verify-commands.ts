import type { Table } from '@gatebook/readmodel/changes';
import { recordConsistencyCheck } from '@gatebook/readmodel/consistency/consistency-checks';
import { checkChecksums, findLive, NotComparableError } from '@gatebook/readmodel/consistency/live';
import { type Repair, repairRows, repairTable } from '@gatebook/readmodel/consistency/repair';
import { describeDifference, keyText, type RowDifference } from '@gatebook/readmodel/consistency/rows';
import { checkOfVerification } from '@gatebook/readmodel/consistency/verified';
import type { ProjectionGroup } from '@gatebook/readmodel/projection-groups';
import { inSnapshot } from '@gatebook/readmodel/snapshot';
import { compareWithRebuild, isConsistent, type TableCheck, type Verification } from '@gatebook/readmodel/verify';
import { systemClock } from '@gatebook/runtime/clock';
import type { Command } from 'commander';
import { type Operator, setNamed, withOperator } from './operator.ts';
import { whileProjected } from './projecting.ts';
import { CommandError, exitCodes, type Surroundings } from './surroundings.ts';
import { columns, count, json } from './text.ts';

type VerifyOptions = { set?: string; table?: string; quick: boolean; json: boolean };
type RepairOptions = { json: boolean };

const namedAtMost = 10;
/** Each API process knows these by heart until their project changes. */
const rememberedTables = ['projects', 'project_keys'];

/** `gatebook projections verify` and `repair`, added to the commands of `projections`. */
export function addVerifyCommands(projections: Command, surroundings: Surroundings): void {
  projections
    .command('verify')
    .description('derive every row anew from the log and compare it with the live one, while traffic goes on')
    .option('--set <set>', 'main (what the API reads) or metrics (owners’ figures); both without it')
    .option('--table <table>', 'this table alone')
    .option('--quick', 'only hold the rows of each table against its checksum', false)
    .option('--json', 'JSON for programs, a line for each set', false)
    .addHelpText('after', '\nEnds with 0 when every row is what the log says, with 5 when one is not.')
    .action((options: VerifyOptions) => verify(surroundings, options));
  projections
    .command('repair')
    .description('make rows what the log says, while traffic goes on')
    .argument('<table>', 'as `projections verify` names it')
    .argument('[keys...]', 'of the rows, the parts of a key parted by commas; without any, the whole table is verified')
    .option('--json', 'JSON for programs', false)
    .addHelpText(
      'after',
      '\nEnds with 5 when the rows it was asked for are right and the checksum of their table is still off.',
    )
    .action((table: string, keys: string[], options: RepairOptions) => repair(surroundings, table, keys, options));
}

async function verify(surroundings: Surroundings, options: VerifyOptions): Promise<void> {
  const areConsistent = await withOperator(surroundings, async (operator, signal) => {
    const results: boolean[] = [];
    for (const set of setsFor(operator, options)) {
      const look = options.quick ? quick : deep;
      results.push(await orRejected(() => look(surroundings, operator, set, options, signal)));
    }
    return results.every((isRight) => isRight);
  });
  if (!areConsistent) throw new CommandError('The read models are not what the log says.', exitCodes.found);
}

function setsFor(operator: Operator, { set, table }: VerifyOptions): readonly ProjectionGroup[] {
  const sets = set === undefined ? operator.sets : [setNamed(operator, set)];
  return table === undefined ? sets : [setWith(sets, table).set];
}

function setWith(sets: readonly ProjectionGroup[], name: string): { set: ProjectionGroup; table: Table } {
  for (const set of sets) {
    const table = set.tables.find((candidate) => candidate.name === name);
    if (table) return { set, table };
  }
  const names = sets.flatMap(({ tables }) => tables.map((table) => table.name)).join(', ');
  throw new CommandError(`There is no table ${name}; there are ${names}.`, exitCodes.usage);
}

async function deep(
  surroundings: Surroundings,
  operator: Operator,
  set: ProjectionGroup,
  options: VerifyOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { pool, store } = operator;
  const start = performance.now();
  const bar = options.json ? null : (surroundings.terminal?.startBar(`verify ${set.name}`) ?? null);
  const onProgress = (position: bigint, head: bigint) => {
    const rate = Number(position) / ((performance.now() - start) / 1000);
    const secondsLeft = Number(head - position) / rate;
    bar?.show({ position: Number(position), total: Number(head), rate, secondsLeft });
  };
  const verification = await whileProjected(operator, set, () =>
    compareWithRebuild(pool, store, set, { table: options.table ?? null, onProgress, signal }),
  ).finally(() => bar?.stop());
  const check = checkOfVerification(verification, { checkedAt: systemClock(), tookMs: performance.now() - start });
  await recordConsistencyCheck(pool, check);
  surroundings.say(options.json ? json(verificationJson(verification)) : verificationText(verification).join('\n'));
  return isConsistent(verification);
}

const verificationJson = (verification: Verification) => ({
  set: verification.set,
  projectionVersion: verification.projectionVersion,
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
    ...(isConsistent(verification) ? ['Every row is what the log says.', ''] : tables.flatMap(whatDiffers)),
  ];
}

function whatDiffers({ table, differing, differences, checksum }: TableCheck): string[] {
  if (differing === 0) {
    if (checksum !== 'differs') return [];
    return [
      `${table}: every row is right now, and its checksum tells of one that was damaged and written over.`,
      `  gatebook projections repair ${table}`,
      '',
    ];
  }
  const [first] = differences;
  const more = differing - Math.min(namedAtMost, differences.length);
  const isOne = differing === 1 && first;
  return [
    ...differences.slice(0, namedAtMost).map(describeDifference),
    ...(more > 0 ? [`… and ${count(more)} more of ${table}`] : []),
    `  gatebook projections repair ${table}${isOne ? ` '${keyText(first.key)}'` : ''}`,
    '',
  ];
}

async function quick(
  surroundings: Surroundings,
  { pool }: Operator,
  set: ProjectionGroup,
  options: VerifyOptions,
): Promise<boolean> {
  const names = set.tables.map(({ name }) => name).filter((name) => name === (options.table ?? name));
  const { live, checks } = await inSnapshot(pool, async (snapshot) => {
    const found = await findLive(snapshot, set);
    return { live: found, checks: await checkChecksums(snapshot, found, names) };
  });
  const isRight = checks.every(({ state }) => state !== 'differs');
  if (options.json) {
    const tables = checks.map(({ table, rows, state }) => ({ table, rows, checksum: state.replace(' ', '_') }));
    const { schema: projectionVersion, position } = live;
    surroundings.say(json({ set: set.name, projectionVersion, position, is_consistent: isRight, tables }));
    return isRight;
  }
  const cells = checks.map(({ table, rows, state }) => [table, count(rows), state]);
  surroundings.say(`${live.schema} at position ${count(live.position)}:\n`);
  for (const line of columns([['TABLE', 'ROWS', 'CHECKSUM'], ...cells], [1])) surroundings.say(line);
  for (const { table, state } of checks) {
    if (state !== 'differs') continue;
    surroundings.say(`\nWhich rows of ${table} it is: gatebook projections verify --table ${table}`);
  }
  surroundings.say('');
  return isRight;
}

async function repair(
  surroundings: Surroundings,
  name: string,
  texts: readonly string[],
  options: RepairOptions,
): Promise<void> {
  const isRight = await withOperator(surroundings, async (operator, signal) => {
    const { pool, store, sets } = operator;
    const { set, table } = setWith(sets, name);
    const keys = texts.map((text) => parseKey(table, text));
    const start = performance.now();
    const done = await orRejected(() =>
      whileProjected(operator, set, () =>
        keys.length > 0 ? repairRows(pool, store, set, name, keys) : repairTable(pool, store, set, name, { signal }),
      ),
    );
    const { projectionVersion, position, repaired, checksum } = done;
    await recordConsistencyCheck(pool, {
      ...{
        set: set.name,
        projectionVersion,
        position,
        kind: 'repair',
        checkedAt: systemClock(),
        rowsChecked: keys.length,
      },
      ...{ tookMs: performance.now() - start, differing: repaired.length, differences: repaired },
      checksumsOff: checksum === 'differs' ? [name] : [],
    });
    surroundings.say(options.json ? json(repairJson(done)) : repairText(done).join('\n'));
    return checksum !== 'differs';
  });
  if (!isRight) throw new CommandError(`The checksum of ${name} is still off.`, exitCodes.found);
}

const repairJson = ({ table, projectionVersion, position, repaired, checksum }: Repair) => ({
  table,
  projectionVersion,
  position,
  repaired: repaired.map(differenceJson),
  checksum: checksum.replace(' ', '_'),
});

function repairText({ table, projectionVersion, position, repaired, checksum }: Repair): string[] {
  const at = `${projectionVersion} at position ${count(position)}`;
  return [
    repaired.length === 0 ? `Nothing differs, in ${at}.` : `Repaired in ${at}:`,
    ...repaired.map((difference) => `  ${describeDifference(difference)}`),
    ...(repaired.length > 0 && rememberedTables.includes(table)
      ? ['API processes remember projects and their keys: restart those that run.']
      : []),
    ...(checksum === 'differs'
      ? [
          `Other rows of ${table} differ, or one that was damaged has been written over since. For the whole table:`,
          `  gatebook projections repair ${table}`,
        ]
      : []),
  ];
}

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const forms: Readonly<Record<string, RegExp>> = { uuid, bigint: /^\d{1,18}$/, integer: /^\d{1,9}$/ };

/** @throws CommandError for what can't be a key of the table */
function parseKey({ name, key, columns: all }: Table, text: string): Readonly<Record<string, string>> {
  const parts = key.length === 1 ? [text] : text.split(',');
  const fits = key.every((column, at) => (forms[all[column]?.type ?? ''] ?? /./).test(parts[at] ?? ''));
  if (parts.length !== key.length || !fits) {
    throw new CommandError(`${text} is no key of ${name}: that is ${key.join(',')}.`, exitCodes.usage);
  }
  return Object.fromEntries(key.map((column, at) => [column, canonical(all[column]?.type, parts[at] ?? '')]));
}

const canonical = (type: string | undefined, part: string) => (type === 'uuid' ? part.toLowerCase() : part);

/** What can't be compared as things stand is told in words; so is Ctrl-C. */
async function orRejected<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotComparableError) throw new CommandError(`${error.message}.`);
    if (error instanceof DOMException && error.name === 'AbortError') throw new CommandError('Stopped.');
    throw error;
  }
}

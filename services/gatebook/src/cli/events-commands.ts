import { catalog } from '@gatebook/domain/catalog';
import type { EventDefinitions, Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import { type Command, InvalidArgumentError } from 'commander';
import { type CliContext, CommandError } from './cli-context.ts';
import { withOperator } from './operator.ts';
import { addPublicEventsCommands } from './public-events-commands.ts';
import { json } from './text.ts';

type Shown = { json: boolean; reveal: boolean };
type TailOptions = Shown & { follow: boolean; last: number; after?: bigint; stream?: string; type?: string[] };

const definitions: EventDefinitions = catalog;
/** Replaces personal data. */
const hidden = '(hidden)';
/** Events per read of the log. */
const pageSize = 1000;

/** `gatebook events …` */
export function addEventsCommands(program: Command, context: CliContext): void {
  const events = program.command('events').description('read the log, and the public events of a project');
  events
    .command('tail')
    .description('print new events as they are appended')
    .option('--stream <prefix>', 'only streams with this prefix, such as user-')
    .option('--type <types...>', 'only these event types, such as UserCreated')
    .option('--last <number>', 'start with this many of the newest events', wholeNumber, 10)
    .option('--after <position>', 'start after this position instead', position)
    .option('--no-follow', 'exit at the head of the log')
    .option('--reveal', 'show personal data', false)
    .option('--json', 'print a line of JSON for each event', false)
    .action((options: TailOptions) => tail(context, options));
  events
    .command('show')
    .description('print all events of a stream, oldest first')
    .argument('<stream>', 'name of the stream, such as user-<id>')
    .option('--reveal', 'show personal data', false)
    .option('--json', 'print a line of JSON for each event', false)
    .action((stream: string, options: Shown) => show(context, stream, options));
  addPublicEventsCommands(events, context);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

function position(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('Expected a position.');
  return BigInt(text);
}

async function tail(context: CliContext, options: TailOptions): Promise<void> {
  for (const type of options.type ?? []) {
    if (!(type in definitions))
      throw new CommandError(`There is no event type ${type}. docs/events.md lists all types.`);
  }
  const isWanted = ({ stream, type }: Recorded) =>
    stream.startsWith(options.stream ?? '') && (options.type === undefined || options.type.includes(type));
  await withOperator(context, async ({ store }, signal) => {
    const head = await store.head();
    let after = options.after ?? head;
    if (options.after === undefined) {
      for (const event of await readNewest(store, head, options.last, isWanted)) printEvent(context, event, options);
    }
    while (after < head && !signal.aborted) {
      const page = await store.readAll(after, pageSize);
      for (const event of page) if (isWanted(event)) printEvent(context, event, options);
      after = page.at(-1)?.position ?? head;
    }
    if (!options.follow) return;
    for await (const batch of store.subscribe(after, signal)) {
      for (const event of batch) if (isWanted(event)) printEvent(context, event, options);
    }
  });
}

/** The newest matching events up to `head`, oldest first. */
async function readNewest(
  log: Pick<EventStore, 'readBack'>,
  head: bigint,
  limit: number,
  isWanted: (event: Recorded) => boolean,
): Promise<readonly Recorded[]> {
  const found: Recorded[] = [];
  for (let before: bigint | null = null; found.length < limit; ) {
    const page = await log.readBack(before, pageSize);
    found.push(...page.filter((event) => event.position <= head && isWanted(event)));
    const last = page.at(-1);
    if (!last) break;
    before = last.position;
  }
  return found.slice(0, limit).reverse();
}

async function show(context: CliContext, stream: string, options: Shown): Promise<void> {
  await withOperator(context, async ({ store }) => {
    let isEmpty = true;
    for await (const page of store.readStreamPages(stream)) {
      for (const event of page) printEvent(context, event, options);
      isEmpty = false;
    }
    if (isEmpty) throw new CommandError(`There is no stream ${stream}.`);
  });
}

function printEvent({ print }: CliContext, event: Recorded, { reveal, json: isJson }: Shown): void {
  const { id, stream, type, revision, metadata, unreadable } = event;
  const shown = unreadable ? {} : reveal ? event.data : maskPersonal(event);
  if (isJson) {
    const error = unreadable && { error: unreadable.message };
    const origin = metadata.origin && (reveal ? metadata.origin : hidden);
    const shownMetadata = { ...metadata, origin };
    print(
      json({ position: event.position, stream, revision, id, type, data: shown, metadata: shownMetadata, ...error }),
    );
    return;
  }
  const { actor } = metadata;
  const { impersonator } = actor;
  const by = impersonator ? `${describeActor(impersonator)} acting for ${describeActor(actor)}` : describeActor(actor);
  print(`${event.position}  ${unreadable ? '(unreadable)' : event.data.at}  ${type}  ${stream}@${revision}  by ${by}`);
  if (unreadable) print(`    ${unreadable.message}`);
  for (const [name, value] of Object.entries(shown))
    print(`    ${name}: ${typeof value === 'string' ? value : json(value)}`);
}

const describeActor = ({ kind, id }: { kind: string; id: string | null }) => (id === null ? kind : `${kind} ${id}`);

/** Erased fields stay null. */
function maskPersonal({ type, data }: Recorded): Record<string, unknown> {
  const personal: readonly string[] = definitions[type]?.personal?.fields ?? [];
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, personal.includes(name) && value !== null ? hidden : value]),
  );
}

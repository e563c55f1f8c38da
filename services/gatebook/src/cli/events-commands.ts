import { catalogue } from '@gatebook/domain/catalogue';
import type { EventDefinitions, Recorded } from '@gatebook/domain/event';
import type { EventStore } from '@gatebook/eventlog/port';
import { type Command, InvalidArgumentError } from 'commander';
import { withOperator } from './operator.ts';
import { CommandError, type Surroundings } from './surroundings.ts';
import { json } from './text.ts';

type Shown = { json: boolean; reveal: boolean };
type TailOptions = Shown & { follow: boolean; last: number; after?: bigint; stream?: string; type?: string[] };

const definitions: EventDefinitions = catalogue;
/** In the place of what is known of a person. */
const hidden = '(hidden)';
/** Of the log, when the newest are looked for backwards. */
const pageSize = 1000;

/** `gatebook events …`: look into the log. */
export function addEventsCommands(program: Command, surroundings: Surroundings): void {
  const events = program.command('events').description('look into the log');
  events
    .command('tail')
    .description('show events as they come')
    .option('--stream <beginning>', 'only of streams whose name begins so, like user- or a whole name')
    .option('--type <types...>', 'only of these types, like UserCreated')
    .option('--last <number>', 'begin with that many of the newest', wholeNumber, 10)
    .option('--after <position>', 'begin after this position instead', position)
    .option('--no-follow', 'end at the head of the log')
    .option('--reveal', 'show what is known of people', false)
    .option('--json', 'a line of JSON for each event', false)
    .action((options: TailOptions) => tail(surroundings, options));
  events
    .command('show')
    .description('show all events of a stream, oldest first')
    .argument('<stream>', 'its name, like user-<id>')
    .option('--reveal', 'show what is known of people', false)
    .option('--json', 'a line of JSON for each event', false)
    .action((stream: string, options: Shown) => show(surroundings, stream, options));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}

function position(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('It is not a position.');
  return BigInt(text);
}

async function tail(surroundings: Surroundings, options: TailOptions): Promise<void> {
  for (const type of options.type ?? []) {
    if (!(type in definitions))
      throw new CommandError(`There are no events of type ${type}; docs/events.md lists all.`);
  }
  const isWanted = ({ stream, type }: Recorded) =>
    stream.startsWith(options.stream ?? '') && (options.type === undefined || options.type.includes(type));
  await withOperator(surroundings, async ({ store }, signal) => {
    const head = await store.head();
    let after = options.after ?? head;
    if (options.after === undefined) {
      for (const event of await newest(store, head, options.last, isWanted)) print(surroundings, event, options);
    }
    while (after < head && !signal.aborted) {
      const page = await store.readAll(after, pageSize);
      for (const event of page) if (isWanted(event)) print(surroundings, event, options);
      after = page.at(-1)?.position ?? head;
    }
    if (!options.follow) return;
    for await (const batch of store.subscribe(after, signal)) {
      for (const event of batch) if (isWanted(event)) print(surroundings, event, options);
    }
  });
}

/** The newest up to `head` that are wanted, oldest first. */
async function newest(
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

async function show(surroundings: Surroundings, stream: string, options: Shown): Promise<void> {
  await withOperator(surroundings, async ({ store }) => {
    const { events } = await store.readStream(stream);
    if (events.length === 0) throw new CommandError(`There is no stream ${stream}.`);
    for (const event of events) print(surroundings, event, options);
  });
}

function print({ say }: Surroundings, event: Recorded, { reveal, json: isJson }: Shown): void {
  const shown = reveal ? event.data : masked(event);
  const { id, stream, type, revision, metadata } = event;
  if (isJson) {
    say(json({ position: event.position, stream, revision, id, type, data: shown, metadata }));
    return;
  }
  const { at, actor } = metadata;
  const { impersonator } = actor;
  const who = impersonator ? `${named(impersonator)} acting for ${named(actor)}` : named(actor);
  say(`${event.position}  ${at}  ${type}  ${stream}@${revision}  by ${who}`);
  for (const [name, value] of Object.entries(shown))
    say(`    ${name}: ${typeof value === 'string' ? value : json(value)}`);
}

const named = ({ kind, id }: { kind: string; id: string | null }) => (id === null ? kind : `${kind} ${id}`);

/** What was erased reads as null, masked or not. */
function masked({ type, data }: Recorded): Record<string, unknown> {
  const personal: readonly string[] = definitions[type]?.personal?.fields ?? [];
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, personal.includes(name) && value !== null ? hidden : value]),
  );
}

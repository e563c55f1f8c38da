import type { Recorded } from '@gatebook/domain/event';
import type { Codec, StoredRecord } from './codec.ts';
import type { Unneeded } from './port.ts';

type Read = {
  /** Events of the projects after `after`, read after the head was at `head`. */
  records: readonly StoredRecord[];
  after: bigint;
  head: bigint;
  /** Whether these are all of their events. */
  isAtEnd: boolean;
  unneeded: Unneeded | undefined;
};

/** Decodes as many events as fit into memory with their large values. */
export async function decodeProjects(
  codec: Codec,
  { records, after, head, isAtEnd, unneeded }: Read,
): Promise<{ events: readonly Recorded[]; upTo: bigint }> {
  const [page = []] = codec.pages(records, unneeded);
  const last = page.at(-1)?.position ?? after;
  const isLast = isAtEnd && page.length === records.length;
  return { events: await codec.decode(page, unneeded), upTo: isLast && head > last ? head : last };
}

/** Decodes all events, as many at once as fit into memory with their large values. */
export async function decodeAll(
  codec: Codec,
  records: readonly StoredRecord[],
  unneeded?: Unneeded,
): Promise<readonly Recorded[]> {
  const events: Recorded[] = [];
  for (const page of codec.pages(records, unneeded)) events.push(...(await codec.decode(page, unneeded)));
  return events;
}

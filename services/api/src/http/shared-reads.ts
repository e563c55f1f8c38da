import type { LivePage, LiveSource, Seen } from './live-source.ts';

/** A page as it is sent: the texts of its items, in packets. */
export type SentPage = { packets: readonly Buffer[]; next: string; hasMore: boolean };

/** Live streams read beside requests, which need the connections too. */
const readsAtOnce = 4;

/** Reads once for all streams that ask for the same at the same time. */
export function createSharedReads() {
  const reading = new Map<string, Promise<SentPage>>();
  const waiting: (() => void)[] = [];
  let free = readsAtOnce;

  async function takeTurn<T>(read: () => Promise<T>): Promise<T> {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await read();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  }

  return {
    read(source: LiveSource, place: string, seen: Seen | null): Promise<SentPage> {
      const key = JSON.stringify([source.key, place, String(seen?.position)]);
      const known = reading.get(key);
      if (known) return known;
      const page = takeTurn(async () => toSent(await source.read(place, seen))).finally(() => reading.delete(key));
      reading.set(key, page);
      return page;
    },
  };
}

/** Each packet is one write to each reader. */
const packetLength = 65_536;

function toSent({ items, ...page }: LivePage): SentPage {
  const packets: Buffer[] = [];
  let text = '';
  for (const { cursor, data } of items) {
    text += `id: ${cursor}\ndata: ${JSON.stringify(data)}\n\n`;
    if (text.length < packetLength) continue;
    packets.push(Buffer.from(text));
    text = '';
  }
  return { ...page, packets: text === '' ? packets : [...packets, Buffer.from(text)] };
}

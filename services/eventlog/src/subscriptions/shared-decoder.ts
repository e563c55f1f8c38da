import type { Recorded } from '@gatebook/domain/event';
import type { Codec } from '../codec.ts';
import { referencesOf } from '../large-values/large-values.ts';
import type { Unneeded } from '../port.ts';
import type { StoredRecord } from '../stored-event.ts';

/** Subscriptions that are at the head decode an event at the same time. */
const sharedMs = 1_000;

type Decode = (records: readonly StoredRecord[], unneeded: Omit<Unneeded, 'types'>) => Promise<readonly Recorded[]>;
type Decoded = WeakMap<StoredRecord, Promise<Recorded>>;

/**
 * Decodes each event once for all subscriptions that get it within a second, unless it has large values. No decoded
 * event is given out again once any subject has been erased.
 */
export function createSharedDecoder(codec: Pick<Codec, 'decode' | 'keyring'>): Decode {
  let [decoded, withoutPersonal]: [Decoded, Decoded] = [new WeakMap(), new WeakMap()];
  let forgetting: NodeJS.Timeout | undefined;

  function forget(): void {
    clearTimeout(forgetting);
    forgetting = undefined;
    [decoded, withoutPersonal] = [new WeakMap(), new WeakMap()];
  }
  codec.keyring.onErased(forget);

  function rememberedIn(record: StoredRecord, { personal = false }: Unneeded): Decoded {
    const isPersonal = record.encrypted !== null || record.metadata.origin !== undefined;
    return personal && isPersonal ? withoutPersonal : decoded;
  }

  return async (records, unneeded) => {
    const missing = records.filter((record) => !rememberedIn(record, unneeded).has(record));
    const decoding = missing.length > 0 ? codec.decode(missing, unneeded) : nothing;
    const fresh = new Map<StoredRecord, Promise<Recorded>>();
    for (const [index, record] of missing.entries()) {
      const event = decoding.then((events) => events[index] as Recorded);
      fresh.set(record, event);
      if (hasLargeValues(record)) continue;
      const remembered = rememberedIn(record, unneeded);
      remembered.set(record, event);
      event.catch(() => remembered.delete(record));
    }
    if (fresh.size > 0) {
      forgetting ??= setTimeout(forget, sharedMs);
      forgetting.unref();
    }
    return Promise.all(
      records.map((record) => fresh.get(record) ?? (rememberedIn(record, unneeded).get(record) as Promise<Recorded>)),
    );
  };
}

const nothing: Promise<readonly Recorded[]> = Promise.resolve([]);
const hasLargeValues = ({ data }: StoredRecord) => Object.keys(referencesOf(data)).length > 0;

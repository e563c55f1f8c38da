import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { memoize } from '@gatebook/runtime/lru-cache';
import { isPrivateAddress } from '@gatebook/runtime/outgoing/private-hosts';
import { type CountryResponse, Reader } from 'maxmind';

/**
 * Returns the country (ISO 3166 alpha-2) of a public address; null for other addresses and until the table is loaded.
 */
export type CountryOf = (ip: string) => string | null;

/** Built from the registries' statistics (NRO, CC BY 4.0). */
const table = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

/** About a thousand addresses: people call several times in a row. */
const maxRememberedBytes = 262_144;

/** Looks up countries in a table from a package. Loads it in the background, so that the start does not wait. */
export function createCountryOf(onFault: (error: unknown) => void): { countryOf: CountryOf; ready: Promise<void> } {
  type Entry = CountryResponse & { country_code?: string };
  let reader: Reader<Entry> | undefined;
  const read = async () => {
    reader = new Reader<Entry>(await readFile(createRequire(import.meta.url).resolve(table)));
  };
  const lookUp = memoize((ip) => {
    if (isPrivateAddress(ip)) return null;
    const code = reader?.get(ip)?.country_code;
    return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : null;
  }, maxRememberedBytes);
  const countryOf: CountryOf = (ip) => (reader ? lookUp(ip) : null);
  return { countryOf, ready: read().catch(onFault) };
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isPrivateAddress } from '@gatebook/mail/private-hosts';
import { type CountryResponse, Reader } from 'maxmind';

/** Tells the country (ISO 3166 alpha-2) of a public address; null for others, and until the table has been read. */
export type CountryOf = (ip: string) => string | null;

/** Made from the registries' statistics (NRO, CC BY 4.0). */
const table = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';

/** Looks countries up in a table that a package carries; read in the background, so that no start waits for it. */
export function createCountryOf(onFault: (error: unknown) => void): { countryOf: CountryOf; ready: Promise<void> } {
  type Entry = CountryResponse & { country_code?: string };
  let reader: Reader<Entry> | undefined;
  const read = async () => {
    reader = new Reader<Entry>(await readFile(createRequire(import.meta.url).resolve(table)));
  };
  const countryOf: CountryOf = (ip) => {
    if (isPrivateAddress(ip)) return null;
    const code = reader?.get(ip)?.country_code;
    return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : null;
  };
  return { countryOf, ready: read().catch(onFault) };
}

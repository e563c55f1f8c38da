import { i18n } from './language.ts';
import { onFirstUse } from './on-first-use.ts';

const countries = onFirstUse(() => new Intl.DisplayNames(i18n.locale, { type: 'region' }));

/** The name of a country, or the code if proxies have made it up, as `T1` for Tor. @param code ISO 3166-1 alpha-2 */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (countries().of(code) ?? code) : code;
}

import { i18n } from '@lingui/core';

const countries = new Intl.DisplayNames(i18n.locale, { type: 'region' });

/** @param code ISO 3166-1 alpha-2 */
export const countryName = (code: string): string => countries.of(code) ?? code;

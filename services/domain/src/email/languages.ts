/** Languages of Gatebook's own emails, the same as of the sign-in pages (protocol, client §14.1). */
export const languages = [
  'en-US',
  'de-DE',
  'es-ES',
  'fr-CA',
  'fr-FR',
  'it-IT',
  'ja-JP',
  'ko-KR',
  'pt-BR',
  'pt-PT',
  'zh-CN',
  'zh-TW',
] as const;
export type Language = (typeof languages)[number];

/** In English, for the audit log; the same as in the menus of the dashboard. */
export const languageNames: Readonly<Record<Language, string>> = {
  'en-US': 'English',
  'de-DE': 'German',
  'es-ES': 'Spanish',
  'fr-CA': 'French (Canada)',
  'fr-FR': 'French',
  'it-IT': 'Italian',
  'ja-JP': 'Japanese',
  'ko-KR': 'Korean',
  'pt-BR': 'Portuguese (Brazil)',
  'pt-PT': 'Portuguese (Portugal)',
  'zh-CN': 'Chinese (simplified)',
  'zh-TW': 'Chinese (traditional)',
};

/** For regions and scripts without a translation. */
const substitutes: ReadonlyMap<string, Language> = new Map([
  ['fr', 'fr-FR'],
  ['pt', 'pt-BR'],
  ['zh-hant', 'zh-TW'],
  ['zh-hk', 'zh-TW'],
  ['zh-mo', 'zh-TW'],
]);

/** The translation for a language tag: of the tag, or of the language in another region. Null without a translation. */
export function languageOf(tag: string | null): Language | null {
  const wanted = tag?.toLowerCase() ?? '';
  const [base = '', scriptOrRegion] = wanted.split('-');
  return (
    languages.find((language) => language.toLowerCase() === wanted) ??
    substitutes.get(`${base}-${scriptOrRegion}`) ??
    substitutes.get(base) ??
    languages.find((language) => language.split('-')[0] === base) ??
    null
  );
}

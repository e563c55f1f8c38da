import type { Translation } from './texts.ts';

/** English is in the components. */
const loaders = {
  'de-DE': () => import('./languages/de-de.ts'),
  'es-ES': () => import('./languages/es-es.ts'),
  'fr-CA': () => import('./languages/fr-ca.ts'),
  'fr-FR': () => import('./languages/fr-fr.ts'),
  'it-IT': () => import('./languages/it-it.ts'),
  'ja-JP': () => import('./languages/ja-jp.ts'),
  'ko-KR': () => import('./languages/ko-kr.ts'),
  'pt-BR': () => import('./languages/pt-br.ts'),
  'pt-PT': () => import('./languages/pt-pt.ts'),
  'zh-CN': () => import('./languages/zh-cn.ts'),
  'zh-TW': () => import('./languages/zh-tw.ts'),
} as const satisfies Record<string, () => Promise<{ translation: Translation }>>;
/** Languages with a translation, and English (protocol, client §14.1). */
export type Language = keyof typeof loaders | 'en-US';

export const languages = Object.keys(loaders) as (keyof typeof loaders)[];

/** For regions and scripts that are not translated. */
const standIns: Readonly<Record<string, keyof typeof loaders>> = {
  fr: 'fr-FR',
  pt: 'pt-BR',
  'zh-hant': 'zh-TW',
  'zh-hk': 'zh-TW',
  'zh-mo': 'zh-TW',
};

/** The translation for a language tag: of the tag, or of the language in another region. Null without a translation. */
export function languageOf(lang: string | undefined): keyof typeof loaders | null {
  const wanted = lang?.toLowerCase() ?? '';
  const [base = '', scriptOrRegion] = wanted.split('-');
  return (
    languages.find((language) => language.toLowerCase() === wanted) ??
    standIns[`${base}-${scriptOrRegion}`] ??
    standIns[base] ??
    languages.find((language) => language.split('-')[0] === base) ??
    null
  );
}

/** The first of these language tags that the components have texts for; English without one. */
export const firstWithTexts = (tags: readonly string[]): string =>
  tags.find((tag) => /^en\b/i.test(tag) || languageOf(tag) !== null) ?? 'en';

export const loadTranslation = async (language: keyof typeof loaders): Promise<Translation> =>
  (await loaders[language]()).translation;

const english: Partial<Translation> = {};
const loaded = new Map<string, Promise<void> | Partial<Translation>>();

/** If a language cannot be loaded, the texts are English. @throws Promise while it loads, for `Suspense` */
export function translationOf(language: keyof typeof loaders | null): Partial<Translation> {
  if (language === null) return english;
  const found = loaded.get(language) ?? load(language);
  if (found instanceof Promise) throw found;
  return found;
}

function load(language: keyof typeof loaders): Promise<void> {
  const loading = loadTranslation(language).then(
    (translation) => void loaded.set(language, translation),
    () => void loaded.set(language, english),
  );
  loaded.set(language, loading);
  return loading;
}

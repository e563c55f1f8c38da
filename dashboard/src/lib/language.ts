import { i18n, type Messages } from '@lingui/core';
import { chooseLanguage, preferredLanguages } from './preferred-languages.ts';

/** The languages of the dashboard, each by its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

/** English is in the code. */
const catalogs: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ messages: Messages }>>> = {
  de: () => import('../languages/de.po'),
};

const isLanguage = (tag: string): tag is Language => Object.hasOwn(languages, tag);

/** The first preferred one that there is. */
function preferredLanguage(): Language {
  const bases = preferredLanguages().map((tag) => tag.split('-')[0]?.toLowerCase() ?? '');
  return bases.find(isLanguage) ?? 'en';
}

async function activate(locale: Language): Promise<void> {
  const { messages } = locale === 'en' ? { messages: {} } : await catalogs[locale]();
  // Texts with values are compiled already (translated.ts).
  i18n.setMessagesCompiler((text) => [text]);
  i18n.loadAndActivate({ locale, messages });
}

/** Keeps the choice in this browser and loads the page again. */
export function changeLanguage(chosen: Language): void {
  chooseLanguage(chosen);
  location.reload();
}

const isPage = typeof document !== 'undefined';
/** The language of this page. */
export const language: Language = isPage ? preferredLanguage() : 'en';
// All modules with texts import this one, so they are loaded once the language is there.
await activate(language);
if (isPage) document.documentElement.lang = i18n.locale;

export { i18n };

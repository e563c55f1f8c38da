import { type EmailLanguage, emailLanguages, type TemplateText } from '@gatebook/js/admin';

export const languageNames: Readonly<Record<EmailLanguage, string>> = {
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

/** Anything else is the default version. */
export const readLanguage = (tag: string | undefined): EmailLanguage | null =>
  emailLanguages.find((language) => language === tag) ?? null;

export function templateHref(projectId: string, type: string, language: EmailLanguage | null): string {
  return `/projects/${projectId}/emails/${type}${language === null ? '' : `?language=${language}`}`;
}

/** The languages of a template whose readers get a text from this source. */
export const languagesWith = (texts: readonly TemplateText[], source: TemplateText['source']): EmailLanguage[] =>
  texts.filter((text) => text.source === source).map(({ language }) => language);

const list = new Intl.ListFormat('en-US');
export const namesOf = (languages: readonly EmailLanguage[]): string =>
  list.format(languages.map((language) => languageNames[language]));

import { type EmailLanguage, emailLanguages, type TemplateText } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { i18n } from '../../lib/language.ts';
import { onFirstUse } from '../../lib/on-first-use.ts';

export const languageNames: Readonly<Record<EmailLanguage, string>> = {
  'en-US': t`English`,
  'de-DE': t`German`,
  'es-ES': t`Spanish`,
  'fr-CA': t`French (Canada)`,
  'fr-FR': t`French`,
  'it-IT': t`Italian`,
  'ja-JP': t`Japanese`,
  'ko-KR': t`Korean`,
  'pt-BR': t`Portuguese (Brazil)`,
  'pt-PT': t`Portuguese (Portugal)`,
  'zh-CN': t`Chinese (simplified)`,
  'zh-TW': t`Chinese (traditional)`,
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

const list = onFirstUse(() => new Intl.ListFormat(i18n.locale));
export const namesOf = (languages: readonly EmailLanguage[]): string =>
  list().format(languages.map((language) => languageNames[language]));

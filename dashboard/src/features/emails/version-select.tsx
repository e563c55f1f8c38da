import type { EmailLanguage, TemplateText } from '@gatebook/js/admin';
import { emailLanguages } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { NativeSelect } from '@mantine/core';
import { useNavigation } from '../../lib/navigation.ts';
import { languageNames, languagesWith, namesOf, readLanguage, templateHref } from './languages.ts';

type Props = {
  projectId: string;
  type: string;
  language: EmailLanguage | null;
  /** Whether the default version is edited. */
  isDefaultEdited: boolean;
  /** The texts of this type of email. */
  texts: readonly TemplateText[];
};

/** Chooses the version that is edited. The choice is in the URL. */
export function VersionSelect({ projectId, type, language, isDefaultEdited, texts }: Props) {
  const { go } = useNavigation();
  const edited = languagesWith(texts, 'version');
  const labelOf = (name: string, isEdited: boolean) => (isEdited ? t`${name} (edited)` : name);
  return (
    <NativeSelect
      aria-label={t`Version`}
      size="xs"
      data={[
        { value: '', label: labelOf(t`Default version`, isDefaultEdited) },
        ...emailLanguages.map((value) => ({ value, label: labelOf(languageNames[value], edited.includes(value)) })),
      ]}
      value={language ?? ''}
      onChange={({ currentTarget }) => go(templateHref(projectId, type, readLanguage(currentTarget.value)))}
    />
  );
}

/** Who gets the version. */
export function describeReaders({ language, isDefaultEdited, texts }: Omit<Props, 'projectId' | 'type'>): string {
  if (language === null) return describeDefault(isDefaultEdited, texts);
  const name = languageNames[language];
  const source = texts.find((text) => text.language === language)?.source;
  if (source === 'version') return t`This version was customized. Readers of ${name} get it.`;
  if (source === 'default_version') return t`Not edited in ${name}. Readers of ${name} get the default version.`;
  return t`Not edited in ${name}. Readers of ${name} get the built-in text in their language.`;
}

function describeDefault(isEdited: boolean, texts: readonly TemplateText[]): string {
  const exceptions = languagesWith(texts, 'version');
  const state = isEdited ? t`This template was customized.` : t`This is the default template.`;
  const text = isEdited ? t`this version` : t`the built-in text in their language`;
  if (exceptions.length === 0) return t`${state} Readers of all languages get ${text}.`;
  return t`${state} Readers of ${namesOf(exceptions)} get their own version, and all others ${text}.`;
}

/** What the first change of a default version takes from readers; null: nothing. */
export function describeReplaced({
  language,
  isDefaultEdited,
  texts,
}: Omit<Props, 'projectId' | 'type'>): string | null {
  const replaced = languagesWith(texts, 'built_in');
  if (language !== null || isDefaultEdited || replaced.length === 0) return null;
  return t`Once it is saved, the default version replaces the built-in texts in ${namesOf(replaced)}. To change one language only, choose its version above.`;
}

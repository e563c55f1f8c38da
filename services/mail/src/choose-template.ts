import type { EmailType } from '@gatebook/domain/email/events';
import type { Language } from '@gatebook/domain/email/languages';
import { EmailContent } from './content.ts';
import { defaultTemplate, type EmailTemplate } from './defaults.ts';

/** A version of a template as an owner edited it. Parts that are null are Gatebook's. */
export type EditedVersion = { subject: string | null; content: unknown };
/** Finds the edited version for a language or, with null, the edited default version. */
type FindVersion<Version> = (language: Language | null) => Version | undefined;

/**
 * The edited version that a reader of the language gets: that for the language, else the default version. If the
 * language is unknown, or none of Gatebook's: the default version, else the English one (docs/decisions/0132).
 * @returns null if Gatebook's text is used
 */
export function chooseVersion<Version>(
  find: FindVersion<Version>,
  language: Language | null,
): { version: Version; language: Language | null } | null {
  const order = language === null ? ([null, 'en-US'] as const) : [language, null];
  for (const each of order) {
    const version = find(each);
    if (version !== undefined) return { version, language: each };
  }
  return null;
}

export function chooseTemplate(
  find: FindVersion<EditedVersion>,
  type: EmailType,
  language: Language | null,
): EmailTemplate {
  const chosen = chooseVersion(find, language);
  return chosen ? complete(chosen.version, type, chosen.language) : defaultTemplate(type, language ?? 'en-US');
}

/**
 * Missing parts, and content that the current blocks can't parse, are replaced by Gatebook's: in the language of the
 * version, or in English, because an email must not mix languages.
 */
function complete({ subject, content }: EditedVersion, type: EmailType, language: Language | null): EmailTemplate {
  const builtIn = defaultTemplate(type, language ?? 'en-US');
  return {
    subject: subject || builtIn.subject,
    content: parseContent(content) ?? builtIn.content,
    ...(language && { language }),
  };
}

const contents = new WeakMap<object, EmailContent | null>();

/** Checked once per object, so that all emails with it are compiled once. */
function parseContent(content: unknown): EmailContent | null {
  if (typeof content !== 'object' || content === null) return null;
  const known = contents.get(content);
  if (known !== undefined) return known;
  const parsed = EmailContent.safeParse(content).data ?? null;
  contents.set(content, parsed);
  return parsed;
}

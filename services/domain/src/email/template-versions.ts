import { TemplateType } from './events.ts';
import { type Language, languages } from './languages.ts';

/** A version of a template: for one language, or, with null, the default version. */
export type TemplateVersion = { templateType: TemplateType; language: Language | null };
export type TemplateVersionId = TemplateType | `${TemplateType}.${Language}`;

/** The default version has the ID of the type, as before there were versions. */
export const versionIdOf = ({ templateType, language }: TemplateVersion): TemplateVersionId =>
  language === null ? templateType : `${templateType}.${language}`;

export function parseVersionId(id: string): TemplateVersion | null {
  const [type, tag, ...rest] = id.split('.');
  const parsed = TemplateType.safeParse(type);
  const language = languages.find((each) => each === tag) ?? null;
  const isKnown = tag === undefined || language !== null;
  return parsed.success && isKnown && rest.length === 0 ? { templateType: parsed.data, language } : null;
}

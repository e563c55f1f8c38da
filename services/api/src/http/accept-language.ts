import { type Language, languageOf } from '@gatebook/domain/email/languages';
import { type TextLanguage, textLanguages } from './text-language.ts';

/** Browsers send fewer. */
const maxRanges = 20;

/** The languages of an `Accept-Language` header, the preferred one first (RFC 9110 §12.5.4). */
function acceptedTags(header: string | undefined): readonly string[] {
  const ranges = (header ?? '').split(',', maxRanges).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
    return { tag, weight: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0 };
  });
  // Sorting is stable: of equal weights, the first one is preferred.
  const accepted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return accepted.map(({ tag }) => tag);
}

/** The preferred language of an `Accept-Language` header that emails exist in; null without one. */
export function preferredLanguageOf(header: string | undefined): Language | null {
  return (
    acceptedTags(header)
      .map(languageOf)
      .find((language) => language !== null) ?? null
  );
}

/** The preferred language of an `Accept-Language` header that sentences of the API exist in; English without one. */
export function textLanguageOf(header: string | undefined): TextLanguage {
  const bases = acceptedTags(header).map((tag) => tag.split('-')[0]?.toLowerCase());
  return bases.flatMap((base) => textLanguages.find((language) => language === base) ?? []).at(0) ?? 'en';
}

import { type Language, languageOf } from '@gatebook/domain/email/languages';

/** Browsers send fewer. */
const maxRanges = 20;

/** The preferred language of an `Accept-Language` header that emails exist in (RFC 9110 §12.5.4); null without one. */
export function preferredLanguageOf(header: string | undefined): Language | null {
  const ranges = (header ?? '').split(',', maxRanges).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
    return { tag, weight: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0 };
  });
  // Sorting is stable: of equal weights, the first one is preferred.
  const accepted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return accepted.map(({ tag }) => languageOf(tag)).find((language) => language !== null) ?? null;
}

import { rejections } from '@gatebook/contract/plain-errors';
import type { DomainErrorCode } from '@gatebook/domain/errors';
import { germanErrors, germanOtherErrors } from '../german/errors.ts';
import { type ErrorFacts, type ErrorText, englishOtherErrors, type OtherError } from './english-errors.ts';
import type { InEachLanguage, TextLanguage } from './text-language.ts';

const otherErrors: InEachLanguage<Readonly<Record<OtherError, ErrorText>>> = {
  en: englishOtherErrors,
  de: germanOtherErrors,
};

const fill = (text: ErrorText, facts: ErrorFacts): string => (typeof text === 'string' ? text : text(facts));

export const errorText = (language: TextLanguage, code: DomainErrorCode, facts: ErrorFacts): string =>
  fill(language === 'de' ? germanErrors[code] : rejections[code].text, facts);

export const otherErrorText = (language: TextLanguage, error: OtherError, facts: ErrorFacts = {}): string =>
  fill(otherErrors[language][error], facts);

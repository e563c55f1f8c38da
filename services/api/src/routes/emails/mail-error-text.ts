import { germanMailError } from '../../german/mail-errors.ts';
import type { TextLanguage } from '../../http/text-language.ts';

/** Why an email was not sent, which is stored in English. */
export const mailErrorText = (language: TextLanguage, message: string): string =>
  language === 'de' ? germanMailError(message) : message;

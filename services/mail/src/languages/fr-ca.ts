import type { EmailTexts } from '../english.ts';
import { french } from './fr-fr.ts';

/** Differs from the French of France in the word for email. */
export const canadianFrench = JSON.parse(
  JSON.stringify(french)
    .replaceAll('adresse e-mail', 'adresse courriel')
    .replaceAll('par e-mail', 'par courriel')
    .replaceAll('cet e-mail', 'ce courriel'),
) as EmailTexts;

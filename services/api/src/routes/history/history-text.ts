import { germanHistoryTexts } from '../../german/history-texts.ts';
import type { InEachLanguage, TextLanguage } from '../../http/text-language.ts';
import { englishHistoryTexts, type HistoryTexts } from './english-texts.ts';
import type { Details } from './history-details.ts';

const texts: InEachLanguage<HistoryTexts> = { en: englishHistoryTexts, de: germanHistoryTexts };

/** One event of a user in plain words. `details` is null once the user's personal facts are erased. */
export function historyText(language: TextLanguage, type: string, details: Details | null): string {
  return isHistoryType(type) ? texts[language][type](details ?? {}) : type;
}

const isHistoryType = (type: string): type is keyof HistoryTexts => Object.hasOwn(englishHistoryTexts, type);

/** Event types with a specific text. */
export const historyTypes: readonly string[] = Object.keys(englishHistoryTexts);

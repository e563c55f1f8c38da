import { germanTexts } from '../languages/handler-de.tsx';
import { englishTexts, type HandlerTexts } from './english-texts.tsx';

/** In the languages of the dashboard. */
export const handlerTextsIn = (lang: string): HandlerTexts => (/^de\b/i.test(lang) ? germanTexts : englishTexts);

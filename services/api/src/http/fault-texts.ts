import { germanFaults } from '../german/faults.ts';
import { englishFaults, type FaultTexts } from './english-faults.ts';
import type { InEachLanguage } from './text-language.ts';

export const faultTexts: InEachLanguage<FaultTexts> = { en: englishFaults, de: germanFaults };

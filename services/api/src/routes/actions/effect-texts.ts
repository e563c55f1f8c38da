import { germanEffects } from '../../german/effects.ts';
import type { InEachLanguage } from '../../http/text-language.ts';
import { type EffectTexts, englishEffects } from './english-effects.ts';

export type { EffectTexts };
export const effectTexts: InEachLanguage<EffectTexts> = { en: englishEffects, de: germanEffects };

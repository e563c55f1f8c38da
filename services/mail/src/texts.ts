import type { Language } from '@gatebook/domain/email/languages';
import { type EmailTexts, english } from './english.ts';
import { german } from './languages/de-de.ts';
import { spanish } from './languages/es-es.ts';
import { canadianFrench } from './languages/fr-ca.ts';
import { french } from './languages/fr-fr.ts';
import { italian } from './languages/it-it.ts';
import { japanese } from './languages/ja-jp.ts';
import { korean } from './languages/ko-kr.ts';
import { brazilianPortuguese } from './languages/pt-br.ts';
import { portuguese } from './languages/pt-pt.ts';
import { simplifiedChinese } from './languages/zh-cn.ts';
import { traditionalChinese } from './languages/zh-tw.ts';

const texts: Readonly<Record<Language, EmailTexts>> = {
  'en-US': english,
  'de-DE': german,
  'es-ES': spanish,
  'fr-CA': canadianFrench,
  'fr-FR': french,
  'it-IT': italian,
  'ja-JP': japanese,
  'ko-KR': korean,
  'pt-BR': brazilianPortuguese,
  'pt-PT': portuguese,
  'zh-CN': simplifiedChinese,
  'zh-TW': traditionalChinese,
};

export const textsOf = (language: Language): EmailTexts => texts[language];

import { errorText, fillText, type Translate } from '@gatebook/js/core';
import { createContext, createElement, Fragment, type ReactNode, useContext, useMemo } from 'react';
import { languageOf, translationOf } from './languages.ts';
import type { PlacesOf, Text, Translation } from './texts.ts';

export type TextSettings = {
  /** The language as a BCP 47 tag. */
  lang?: string | undefined;
  overrides?: Partial<Translation> | undefined;
};

export const TextContext = createContext<TextSettings>({});

type Values<Given extends string, Value> = [PlacesOf<Given>] extends [never]
  ? []
  : [values: Readonly<Record<PlacesOf<Given>, Value>>];

export type Texts = {
  t<Given extends Text>(text: Given, ...values: Values<Given, string | number>): string;
  /** The same, with elements in the places. */
  rich<Given extends Text>(text: Given, ...values: Values<Given, ReactNode>): ReactNode;
  /** For texts that are not known in advance; those without a translation stay as they are. */
  translate: Translate;
  errorText: (error: unknown) => string;
  /** For `Intl`. */
  lang: string;
};

/** The texts of the components in the language of the provider. Suspends until the language is loaded. */
export function useTexts(): Texts {
  const { lang, overrides } = useContext(TextContext);
  const translation = translationOf(languageOf(lang));
  return useMemo(() => textsIn({ ...translation, ...overrides }, lang), [translation, overrides, lang]);
}

function textsIn(known: Readonly<Record<string, string | undefined>>, lang = 'en'): Texts {
  const find = (text: string): string => (Object.hasOwn(known, text) ? known[text] : undefined) ?? text;
  const translate: Translate = (text, values) => fillText(find(text), values);
  return {
    t: (text, ...[values]) => translate(text, values),
    rich: (text, ...[values]) => withElements(find(text), values ?? {}),
    translate,
    errorText: (error) => errorText(error, translate),
    lang: isLanguageTag(lang) ? lang : 'en',
  };
}

/** `Intl` throws for others, such as `de_DE`. */
function isLanguageTag(lang: string): boolean {
  try {
    return Intl.getCanonicalLocales(lang).length > 0;
  } catch {
    return false;
  }
}

function withElements(text: string, values: Readonly<Record<string, ReactNode>>): ReactNode {
  const parts = text.split(/\{(\w+)\}/);
  return createElement(Fragment, null, ...parts.map((part, index) => (index % 2 === 0 ? part : values[part])));
}

const rightToLeft = ['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

/** Attributes of the elements around texts; none if the language is not given. */
export function useLanguageAttributes(): { lang?: string; dir?: 'ltr' | 'rtl' } {
  const { lang } = useContext(TextContext);
  if (lang === undefined) return {};
  return { lang, dir: rightToLeft.includes(lang.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr' };
}

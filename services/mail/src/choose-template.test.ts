import type { Language } from '@gatebook/domain/email/languages';
import { describe, expect, test } from 'vitest';
import { chooseTemplate, type EditedVersion } from './choose-template.ts';
import { defaultTemplate } from './defaults.ts';

const content = { root: { type: 'EmailLayout', data: { childrenIds: [] } } };
const edited = (subject: string): EditedVersion => ({ subject, content });
const german: readonly [Language, EditedVersion] = ['de-DE', edited('Deutsch')];
const english: readonly [Language, EditedVersion] = ['en-US', edited('English')];
const byDefault: readonly [null, EditedVersion] = [null, edited('Default')];

type Versions = readonly (readonly [Language | null, EditedVersion])[];
const choose = (versions: Versions, language: Language | null) =>
  chooseTemplate((wanted) => new Map(versions).get(wanted), 'password_reset', language);
const subjectsOf = (...versions: Versions) =>
  (['de-DE', 'fr-FR', 'en-US', null] as const).map((language) => choose(versions, language).subject);
const builtIn = (language: Language) => defaultTemplate('password_reset', language).subject;

describe('the text of an email', () => {
  test('is built in, in the language of the reader, while no version is edited', () =>
    expect(subjectsOf()).toEqual([builtIn('de-DE'), builtIn('fr-FR'), builtIn('en-US'), builtIn('en-US')]));

  test('is the default version for everybody if only that is edited', () =>
    expect(subjectsOf(byDefault)).toEqual(['Default', 'Default', 'Default', 'Default']));

  test('is the version for a language, and built in for others', () =>
    expect(subjectsOf(german)).toEqual(['Deutsch', builtIn('fr-FR'), builtIn('en-US'), builtIn('en-US')]));

  test('is the version for a language before the default version', () =>
    expect(subjectsOf(german, byDefault)).toEqual(['Deutsch', 'Default', 'Default', 'Default']));

  test('is the default version, else the English one, for readers of an unknown language', () => {
    expect(subjectsOf(english, byDefault)).toEqual(['Default', 'Default', 'English', 'Default']);
    expect(subjectsOf(english)).toEqual([builtIn('de-DE'), builtIn('fr-FR'), 'English', 'English']);
  });

  test('has the language of its version, so that dates follow it', () => {
    expect(choose([german], 'de-DE').language).toBe('de-DE');
    expect(choose([english], null).language).toBe('en-US');
    expect(choose([byDefault], 'de-DE').language).toBeUndefined();
    expect(choose([], 'fr-FR').language).toBe('fr-FR');
  });

  test('takes missing and invalid parts from the text in the same language', () => {
    const template = choose([['de-DE', { subject: null, content: { root: { type: 'Gone' } } }]], 'de-DE');
    expect(template).toEqual(defaultTemplate('password_reset', 'de-DE'));
    const { subject, content: blocks } = defaultTemplate('password_reset');
    expect(choose([[null, { subject: '', content: null }]], 'de-DE')).toEqual({ subject, content: blocks });
  });

  test('keeps one content per version, so that it is compiled once', () =>
    expect(choose([german], 'de-DE').content).toBe(choose([german], 'de-DE').content));
});

import { describe, expect, test } from 'vitest';
import type { Language } from '../email/languages.ts';
import { given } from '../spec.ts';
import { defaultProjectConfig, defaultProjectSettings } from './config.ts';
import { projectDecider } from './decide.ts';
import { type ProjectEvent, projectEvents } from './events.ts';
import { initialState } from './state.ts';

const at = '2026-01-15T12:00:00.000Z';
const projectId = '00000000-0000-4000-8000-000000000001';
const templateType = 'magic_link';
const created: ProjectEvent = {
  type: 'ProjectCreated',
  data: {
    ...{ projectId, subjectId: '00000000-0000-4000-8000-000000000002', displayName: 'Shop', description: '' },
    ...{ isProductionMode: false, config: defaultProjectConfig, secrets: null, settings: defaultProjectSettings, at },
  },
};
const content = { root: { type: 'EmailLayout', data: {} } };
type Parts = { subject?: string; content?: typeof content };
const change = (language: Language | null, parts: Parts) =>
  ({ type: 'ChangeEmailTemplate', templateType, language, ...parts, at }) as const;
const changed = (language: Language | null, parts: Parts): ProjectEvent => ({
  type: 'EmailTemplateChanged',
  data: { projectId, templateType, language, subject: null, content: null, ...parts, at },
});
const reset = (language: Language | null) => ({ type: 'ResetEmailTemplate', templateType, language, at }) as const;
const wasReset = (language: Language | null): ProjectEvent => ({
  type: 'EmailTemplateReset',
  data: { projectId, templateType, language, at },
});
const versionsAfter = (...events: ProjectEvent[]) => {
  const state = events.reduce(projectDecider.evolve, projectDecider.evolve(initialState, created));
  return state.status === 'active' ? [...state.emailTemplates].map(([id, { subject }]) => [id, subject]) : null;
};

describe('a version of an email template', () => {
  test('is changed in one language', () =>
    given(projectDecider, created)
      .when(change('de-DE', { subject: 'Anmelden', content }))
      .then(changed('de-DE', { subject: 'Anmelden', content })));

  test('keeps its own missing parts, not those of another version', () => {
    const events = [created, changed(null, { subject: 'Sign in', content }), changed('de-DE', { subject: 'Anmelden' })];
    given(projectDecider, ...events)
      .when(change('de-DE', { content }))
      .then(changed('de-DE', { subject: 'Anmelden', content }));
    given(projectDecider, ...events)
      .when(change('fr-FR', { subject: 'Connexion' }))
      .then(changed('fr-FR', { subject: 'Connexion' }));
  });

  test('is reset alone', () => {
    const both = [changed(null, { subject: 'Sign in' }), changed('de-DE', { subject: 'Anmelden' })];
    given(projectDecider, created, ...both)
      .when(reset('de-DE'))
      .then(wasReset('de-DE'));
    expect(versionsAfter(...both)).toEqual([
      ['magic_link', 'Sign in'],
      ['magic_link.de-DE', 'Anmelden'],
    ]);
    expect(versionsAfter(...both, wasReset('de-DE'))).toEqual([['magic_link', 'Sign in']]);
    expect(versionsAfter(...both, wasReset(null))).toEqual([['magic_link.de-DE', 'Anmelden']]);
  });

  test('is not reset while it was not edited', () => {
    const byDefault = [created, changed(null, { subject: 'Sign in' })];
    given(projectDecider, ...byDefault)
      .when(reset('de-DE'))
      .thenRejected('EMAIL_TEMPLATE_ALREADY_DEFAULT');
    given(projectDecider, created, changed('de-DE', { subject: 'Anmelden' }))
      .when(reset(null))
      .thenRejected('EMAIL_TEMPLATE_ALREADY_DEFAULT');
  });

  test('is the default version in events of before there were languages', () => {
    const old = { projectId, templateType, subject: 'Sign in', content, at };
    expect(projectEvents.EmailTemplateChanged.upcast?.[1]?.(old)).toEqual({ ...old, language: null });
    const oldReset = { projectId, templateType, at };
    expect(projectEvents.EmailTemplateReset.upcast?.[1]?.(oldReset)).toEqual({ ...oldReset, language: null });
  });
});

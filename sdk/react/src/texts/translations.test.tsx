// @vitest-environment happy-dom

import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Component, type ReactNode, Suspense } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { GatebookProvider, type GatebookProviderProps } from '../index.ts';
import { CredentialSignIn, SignIn, TeamSwitcher, UserButton } from '../pages.ts';
import { fakeApp } from '../testing/fake-app.ts';
import { languageOf } from './languages.ts';
import { useTexts } from './use-texts.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

class Boundary extends Component<{ children: ReactNode }, { message: string | null }> {
  override state = { message: null };
  static getDerivedStateFromError = (error: Error) => ({ message: error.message });
  override render() {
    return this.state.message ?? this.props.children;
  }
}

function show(given: Omit<GatebookProviderProps, 'app'>, children: ReactNode = <SignIn />) {
  const { app } = fakeApp({ isSignedIn: false });
  return render(
    <Boundary>
      <GatebookProvider app={app} {...given}>
        {children}
      </GatebookProvider>
    </Boundary>,
  );
}

describe('GatebookProvider', () => {
  test('shows the components in its language, with validation messages', async () => {
    const { container } = show({ lang: 'de-DE' });
    await screen.findByRole('heading', { name: 'Anmelden' });
    fireEvent.click(screen.getByRole('button', { name: 'Weiter' }));
    expect((await screen.findByRole('alert')).textContent).toContain('vollständige');
    expect(container.querySelector('.gbh')?.getAttribute('lang')).toBe('de-DE');
    expect(container.querySelector('.gbh')?.getAttribute('dir')).toBe('ltr');
  });

  test('translates menus', async () => {
    show({ lang: 'fr-CA' }, <UserButton showUserInfo />);
    await screen.findByText('Non connecté');
    fireEvent.click(screen.getByRole('button', { name: 'Compte' }));
    await screen.findByRole('menuitem', { name: 'Se connecter' });
  });

  test('lets a form wait for its language by itself, not with the page around it', async () => {
    show(
      { lang: 'it-IT' },
      <Suspense fallback="The page is loading">
        <CredentialSignIn />
      </Suspense>,
    );
    expect(screen.queryByText('The page is loading')).toBeNull();
    await screen.findByRole('button', { name: 'Accedi' });
  });

  test('replaces single texts, in English and in other languages', async () => {
    show({ translationOverrides: { 'Sign in': 'Log in', 'to {product}': 'with {product}' } });
    await screen.findByRole('heading', { name: 'Log in' });
    cleanup();
    show({ lang: 'de-DE', translationOverrides: { 'Sign in': 'Einloggen' } });
    await screen.findByRole('heading', { name: 'Einloggen' });
    screen.getByRole('button', { name: 'Weiter' });
  });

  test('rejects a text that no component has', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const translationOverrides = { 'Log in, please': 'x' } as GatebookProviderProps['translationOverrides'];
    show(translationOverrides ? { translationOverrides } : {});
    await screen.findByText(/No component has the text “Log in, please”/);
  });

  test('sets the direction of languages without a translation too, whose texts are English or overrides', async () => {
    const { container } = show({ lang: 'ar', translationOverrides: { 'Sign in': 'تسجيل الدخول' } });
    await screen.findByRole('heading', { name: 'تسجيل الدخول' });
    screen.getByRole('button', { name: 'Continue' });
    expect(container.querySelector('.gbh')?.getAttribute('dir')).toBe('rtl');
  });

  test.each([
    ['de-AT', 'de-AT'],
    ['de_DE', 'en'],
  ])('with the language %s, times have the form of %s', async (lang, expected) => {
    const Locale = () => <p>{useTexts().lang}</p>;
    show({ lang }, <Locale />);
    await screen.findByText(expected);
  });

  test('leaves the language of the page as it is without `lang`', async () => {
    const { container } = show({}, <TeamSwitcher teams={[]} />);
    await screen.findByText('Select team');
    expect(container.querySelector('.gbh')?.hasAttribute('lang')).toBe(false);
  });
});

test.each([
  ['de-DE', 'de-DE'],
  ['de', 'de-DE'],
  ['DE-at', 'de-DE'],
  ['pt-PT', 'pt-PT'],
  ['fr', 'fr-FR'],
  ['pt', 'pt-BR'],
  ['zh', 'zh-CN'],
  ['zh-Hant', 'zh-TW'],
  ['zh-Hant-TW', 'zh-TW'],
  ['zh-Hans-CN', 'zh-CN'],
  ['zh-HK', 'zh-TW'],
  ['en-US', null],
  ['ar', null],
  [undefined, null],
])('the language %s has the translation %s', (lang, language) => {
  expect(languageOf(lang)).toBe(language);
});

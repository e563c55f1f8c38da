// @vitest-environment happy-dom

import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { Component, type ReactNode } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { GatebookProvider, type GatebookProviderProps } from '../index.ts';
import { SignIn, TeamSwitcher, UserButton } from '../pages.ts';
import { fakeApp } from '../testing/fake-app.ts';
import { languageOf } from './languages.ts';

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
  ['zh-HK', 'zh-TW'],
  ['en-US', null],
  ['ar', null],
  [undefined, null],
])('the language %s has the translation %s', (lang, language) => {
  expect(languageOf(lang)).toBe(language);
});

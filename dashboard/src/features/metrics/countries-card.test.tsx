// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { full, show } from './testing/overview.tsx';

describe('the card of countries', () => {
  const usersByCountry = [
    { country: 'SE', count: 8_000 },
    { country: 'SG', count: 40 },
    { country: 'RE', count: 5 },
  ];
  const showCountries = async () => {
    show(async () => ({ ...full, usersByCountry }));
    const card = await screen.findByRole('region', { name: 'Users by country' });
    await vi.waitFor(() => expect(card.querySelector('svg [data-country="SE"]')).not.toBeNull());
    return card;
  };
  const peopleIn = (country: string) => `/projects/p1/users?order=active&active_in=${country}`;

  test('lists all countries with links to their users, and how many users are of unknown countries', async () => {
    const card = await showCountries();
    const rows = within(card).getAllByRole('row').slice(1);
    expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
      ['Sweden', '8,000', '65%'],
      ['Singapore', '40', '<1%'],
      ['Réunion', '5', '<1%'],
      ['Unknown', '4,300', '35%'],
    ]);
    const links = within(card).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['SE', 'SG', 'RE', 'ZZ'].map(peopleIn));
  });

  test('draws countries with users, small ones as dots, and names those that are not on the map', async () => {
    const card = await showCountries();
    const drawn = [...card.querySelectorAll('[data-country]')];
    expect(drawn.map((shape) => [shape.tagName.toLowerCase(), shape.getAttribute('data-country')])).toEqual([
      ['path', 'SE'],
      ['circle', 'SG'],
    ]);
    expect(card.textContent).toContain('Not on the map: Réunion.');
  });

  test('tells the number of a country that is tapped, and shows the country whose row has the focus', async () => {
    const card = await showCountries();
    const sweden = card.querySelector('[data-country="SE"]') as Element;
    fireEvent.click(sweden);
    expect(card.textContent).toContain('Sweden: 8,000 users · 65% · Show users');
    expect(within(card).getByRole('link', { name: 'Show users' }).getAttribute('href')).toBe(peopleIn('SE'));
    fireEvent.focus(within(card).getByRole('link', { name: 'Singapore' }));
    expect(card.querySelector('circle[data-chosen]')?.getAttribute('data-country')).toBe('SG');
    expect(card.textContent).toContain('Singapore: 40 users');
  });

  test('is drawn only if a country is known', async () => {
    show(async () => full);
    const card = await screen.findByRole('region', { name: 'Users by country' });
    expect(card.textContent).toContain('No country is known yet');
    expect(card.querySelector('svg, table')).toBeNull();
  });
});

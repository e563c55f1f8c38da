// @vitest-environment happy-dom
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { cardOf, showPage } from './testing/overview.tsx';

test('retention shows shares of the weeks in which somebody joined, and a dash where nothing is known', async () => {
  showPage({});
  const table = await within(await cardOf('Retention by week')).findByRole('table');
  const rows = within(table).getAllByRole('row');
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ['Signed up', 'Users', 'Same week', '+1', '+2'],
    ['Mar 2', '4', '100%', '–', '25%'],
    ['Mar 16', '10', '30%'],
  ]);
});

test('retention shows numbers of users instead of shares, without a mouse', async () => {
  showPage({});
  const card = await cardOf('Retention by week');
  fireEvent.click(await within(card).findByRole('button', { name: 'Show counts' }));
  const cells = within(card)
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].slice(2));
  expect(cells.map((row) => row.map(({ textContent }) => textContent))).toEqual([['4', '–', '1'], ['3']]);
  expect(card.textContent).toContain('Number of the users of a week');
  fireEvent.click(within(card).getByRole('button', { name: 'Show shares' }));
  expect(card.textContent).toContain('Share of the users of a week');
});

test('the funnel shows each step as a share of the step before', async () => {
  showPage({});
  const card = await cardOf('From sign-up to return');
  const steps = await within(card).findAllByRole('listitem');
  expect(steps.map((step) => step.textContent)).toEqual([
    'Signed up20',
    'Verified their email10 · 50% of the step before',
    'Came back on another day4 · 40% of the step before',
  ]);
});

test.each([
  ['Retention by week', 'retention.csv', 'start,users,week_0,week_1,week_2'],
  ['From sign-up to return', 'funnel-30d.csv', 'step,users'],
])('%s is exported as CSV, and has no image', async (title, name, head) => {
  const blobs: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => `blob:${blobs.push(blob as Blob)}`);
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  showPage({});
  fireEvent.click(await screen.findByRole('button', { name: `Export ${title}` }));
  expect((await screen.findAllByRole('menuitem')).map((item) => item.textContent)).toEqual(['CSV']);
  fireEvent.click(screen.getByRole('menuitem', { name: 'CSV' }));
  expect(names).toEqual([name]);
  expect((await blobs[0]?.text())?.split('\r\n')[0]).toContain(head);
  vi.restoreAllMocks();
});

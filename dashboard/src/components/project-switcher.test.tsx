// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, renderPage } from '../testing/render.tsx';
import { sampleOverview } from '../testing/samples.ts';
import { ProjectSwitcher } from './project-switcher.tsx';

test.each([
  [undefined, 'p1', 'Loading project. Switch project'],
  [{ id: 'p1', displayName: 'Acme' }, 'p1', 'Acme. Switch project'],
  [null, 'p2', 'Select a project. Switch project'],
  [null, null, 'Select a project. Switch project'],
])('with project %j of ID %s, it is called “%s”', (current, currentId, name) => {
  renderPage(<ProjectSwitcher projects={{ search: never }} current={current} currentId={currentId} />);
  expect(screen.getByRole('button', { name })).toBeTruthy();
});

const shop = sampleOverview();
const bakery = sampleOverview({ id: 'p2', displayName: 'Bakery' });

function open() {
  const search = vi.fn(async ({ query = '' }) => ({
    items: [shop, bakery].filter(({ displayName }) => displayName.toLowerCase().includes(query)),
    nextCursor: null,
  }));
  const { visited } = renderPage(<ProjectSwitcher projects={{ search }} current={shop} currentId="p1" />);
  expect(search).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button'));
  return { visited, search };
}
const options = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);

test('it lists the first projects, and leads to all of them', async () => {
  const { visited, search } = open();
  await vi.waitFor(() => expect(options()).toEqual(['Acme Shop', 'Bakery', 'All projects', 'Create project']));
  expect(search).toHaveBeenCalledExactlyOnceWith({ query: '', limit: 20 });
  fireEvent.click(screen.getByRole('option', { name: 'All projects' }));
  expect(visited).toEqual(['/projects']);
});

test('it finds a project by its name, which Enter opens', async () => {
  const { visited } = open();
  const field = await screen.findByRole('textbox', { name: 'Search projects' });
  fireEvent.change(field, { target: { value: 'bake' } });
  await vi.waitFor(() => expect(options()).toEqual(['Bakery', 'All projects', 'Create project']));
  fireEvent.keyDown(field, { code: 'Enter' });
  expect(visited).toEqual(['/projects/p2']);
});

test('it says when no project is found', async () => {
  open();
  fireEvent.change(await screen.findByRole('textbox', { name: 'Search projects' }), { target: { value: 'xyz' } });
  expect(await screen.findByText('No projects found')).toBeTruthy();
});

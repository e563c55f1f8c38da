// @vitest-environment happy-dom
import type { OwnedProjectsClient, ProjectOverview, SearchProjects } from '@gatebook/js/admin';
import { AnswerError } from '@gatebook/js/errors';
import { fireEvent, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { never, pending, renderPage } from '../../testing/render.tsx';
import { sampleOverview, sampleProject } from '../../testing/samples.ts';
import { ProjectsPage } from './projects-page.tsx';
import { readProjectsSearch } from './projects-search.ts';

const pageOf = (...items: ProjectOverview[]) => ({ items, nextCursor: null });

function show(projects: Partial<OwnedProjectsClient>, search: Record<string, string> = {}) {
  const onCreated = vi.fn();
  const client = { search: never, create: never, ...projects };
  const { visited } = renderPage(
    <ProjectsPage projects={client} search={readProjectsSearch(search)} onCreated={onCreated} />,
  );
  return { visited, onCreated };
}

test('shows a loading state', () => {
  show({ search: () => pending<never>() });
  expect(screen.getByRole('status', { name: 'Loading projects' })).toBeTruthy();
});

test('a failed load can be retried', async () => {
  const search = vi
    .fn()
    .mockRejectedValueOnce(new AnswerError('u', 500, '', 'req1'))
    .mockResolvedValue(pageOf(sampleOverview()));
  show({ search });
  expect((await screen.findByRole('alert')).textContent).toContain('req1');
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'Acme Shop' })).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('an empty list of projects offers to create one', async () => {
  const { visited } = show({ search: async () => pageOf() });
  const note = (await screen.findByRole('heading', { name: 'No projects yet' })).closest('section');
  fireEvent.click(within(note ?? document.body).getByRole('button', { name: 'Create project' }));
  expect(visited).toEqual(['/projects?new=1']);
});

test('each project is a link with its user count and when it was last used', async () => {
  const unused = sampleOverview({ id: 'p2', displayName: '', userCount: 1 });
  show({ search: async () => pageOf(sampleOverview({ lastActiveAt: new Date() }), unused) });
  await screen.findByRole('heading', { name: 'Acme Shop' });
  const [, first, second] = screen.getAllByRole('link');
  expect(first?.getAttribute('href')).toBe('/projects/p1');
  expect(first?.textContent).toMatch(/1,234 users.*active /);
  expect(second?.textContent).toMatch(/p2.*1 usercreated /);
});

test('search and order are kept in the URL', async () => {
  const search = vi.fn(async () => pageOf(sampleOverview()));
  const { visited } = show({ search }, { query: 'shop', order: 'newest', cursor: 'c2' });
  await screen.findByRole('heading', { name: 'Acme Shop' });
  expect(search).toHaveBeenCalledWith({ query: 'shop', orderBy: 'createdAt', desc: true, limit: 24, cursor: 'c2' });
  fireEvent.change(screen.getByRole('combobox', { name: 'Sort by' }), { target: { value: 'last-active' } });
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search projects' }), { target: { value: ' acme ' } });
  await vi.waitFor(() =>
    expect(visited).toEqual(['/projects?query=shop&order=last-active', '/projects?query=acme&order=newest']),
  );
});

test('the previous page is found by reading backwards', async () => {
  const search = vi.fn(async ({ desc }: SearchProjects) => ({
    items: [sampleOverview()],
    nextCursor: desc ? 'c1' : 'c3',
  }));
  const { visited } = show({ search }, { cursor: 'c2' });
  fireEvent.click(await screen.findByRole('button', { name: 'Next' }));
  fireEvent.click(screen.getByRole('button', { name: 'Previous' }));
  await vi.waitFor(() => expect(visited).toEqual(['/projects?cursor=c3', '/projects?cursor=c1']));
});

test('a search without matches can be cleared', async () => {
  const { visited } = show({ search: async () => pageOf() }, { query: 'nothing' });
  expect(await screen.findByRole('heading', { name: 'No projects found' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show all projects' }));
  expect(visited).toEqual(['/projects']);
});

test('a new project gets its trimmed name and is opened', async () => {
  const created = sampleProject({ id: 'p9' });
  const create = vi.fn(async () => created);
  const { onCreated } = show({ search: async () => pageOf(), create }, { new: '1' });
  const dialog = await screen.findByRole('dialog', { name: 'Create project' });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create project' }));
  expect(await within(dialog).findByText('Enter a name')).toBeTruthy();
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: ' Acme ' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create project' }));
  await vi.waitFor(() => expect(onCreated).toHaveBeenCalledWith(created));
  expect(create).toHaveBeenCalledExactlyOnceWith({ displayName: 'Acme', description: '' });
});

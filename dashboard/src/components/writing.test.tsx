// @vitest-environment happy-dom
import type { ProjectRole } from '@gatebook/js/admin';
import { screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { MomentContext } from '../lib/moment.ts';
import { ownRoleIn, RoleContext } from '../lib/role.ts';
import { renderPage } from '../testing/render.tsx';
import { Page } from './page.tsx';
import { Writing } from './writing.tsx';

const show = (project: Parameters<typeof ownRoleIn>[0]) =>
  renderPage(
    <RoleContext value={ownRoleIn(project)}>
      <Writing>
        <button type="button">Delete</button>
      </Writing>
    </RoleContext>,
  );
const reason = () => screen.getByRole('button').closest('fieldset')?.title ?? null;

test('controls are disabled until the role is known', () => {
  show({ value: undefined, error: undefined });
  expect(reason()).toBe('Your role in this project is being loaded.');
});

test.each([
  ['owner', null],
  ['support', 'Your role is Support. This requires the role Developer.'],
] as const)('the role %s decides once it is known', (role, expected) => {
  show({ value: { role }, error: undefined });
  expect(reason()).toBe(expected);
});

test('the server decides alone if the role can not be loaded', () => {
  show({ value: undefined, error: new Error('offline') });
  expect(reason()).toBeNull();
});

const showPage = (role: ProjectRole, children: ReactNode) =>
  renderPage(
    <RoleContext value={role}>
      <Page title="Users">{children}</Page>
    </RoleContext>,
  );
const create = <button type="button">Create</button>;
const remove = <button type="button">Remove</button>;
const describedBy = () =>
  screen.getByRole('button', { name: 'Create' }).closest('fieldset')?.getAttribute('aria-describedby');

test('the page says to those who can’t point at a control which role it requires', () => {
  showPage(
    'read_only',
    <>
      <Writing needs="support">{create}</Writing>
      <Writing>{remove}</Writing>
    </>,
  );
  const note = screen.getByText('You can read this page. Changing it requires the role Support.');
  expect(describedBy()).toBe(note.id);
});

test('the page says so of some controls if the role allows others', () => {
  showPage(
    'support',
    <>
      <Writing needs="support">{create}</Writing>
      <Writing>{remove}</Writing>
    </>,
  );
  screen.getByText('Your role is Support. Some controls of this page require the role Developer.');
  expect(describedBy()).toBeUndefined();
});

test('a page without disabled controls says nothing', () => {
  showPage('developer', <Writing>{create}</Writing>);
  expect(screen.queryByText(/role/)).toBeNull();
});

test('the page of a moment of the past says that it is read-only', () => {
  renderPage(
    <MomentContext value={{ value: 'e1', set: () => {} }}>
      <Page title="Users">
        <Writing>{create}</Writing>
      </Page>
    </MomentContext>,
  );
  expect(screen.getByText('The past is read-only. Go back to now to make changes.').id).toBe(describedBy());
});

// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ownRoleIn, RoleContext } from '../lib/role.ts';
import { renderPage } from '../testing/render.tsx';
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
